import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setPartnerCaps } from '../../../src/partners/set-partner-caps.ts'
import { setTenantCaps } from '../../../src/partners/set-tenant-caps.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { startService } from '../../support/service.ts'

const dayMs = 86_400_000

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).sort((a, b) => a - b)

test('three nodes on one ledger', async (t) => {
  const service = await startService(t, {}, { nodes: 3 })
  const { acme, globex } = service

  await t.test(
    'one orderId sent to two tenants at once is credited in one and a conflict in the other',
    async () => {
      for (let round = 0; round < 30; round++) {
        const order = { orderId: `race-${round}`, userEmail: 'lan@example.vn' }
        const answers = await Promise.all(['t1', 't2'].map((tenantId) => acme.award({ ...order, tenantId })))
        deepEqual(statusesOf(answers), [202, 409])
        const [credited, refused] = answers.toSorted((a, b) => a.status - b.status)
        equal(refused!.body.code, 'ORDER_ID_CONFLICT')
        deepEqual(refused!.body.differs, ['tenantId'])
        equal(refused!.body.epTransactionId, credited!.body.epTransactionId)
      }
    },
  )

  await t.test(
    'many orders sent to two tenants at once, in opposite order, are each credited in one of them',
    async () => {
      for (let round = 0; round < 5; round++) {
        const orders = Array.from({ length: 16 }, (_, index) => `races-${round}-${index}`)
        const send = (tenantId: string, inOrder: string[]) =>
          inOrder.map((orderId) => acme.award({ orderId, tenantId, userEmail: `${orderId}@example.vn` }))
        const answers = await Promise.all([...send('t1', orders), ...send('t2', orders.toReversed())])
        deepEqual(statusesOf(answers), [...orders.map(() => 202), ...orders.map(() => 409)])
      }
    },
  )

  await t.test(
    'sixteen copies of one order at once are one credit: one 202, fifteen DUPLICATE, one id',
    async () => {
      for (let round = 0; round < 30; round++) {
        const order = { orderId: `storm-${round}`, userEmail: 'lan@example.vn', amount: 1000 }
        const answers = await Promise.all(Array.from({ length: 16 }, () => acme.award(order)))
        deepEqual(statusesOf(answers), [...Array(15).fill(200), 202])
        equal(new Set(answers.map(({ body }) => body.epTransactionId)).size, 1)
      }
    },
  )

  await t.test('perPartnerDay is filled to the last point by 64 awards at once, and not beyond', async () => {
    const caps = { perTx: undefined, perPartnerDay: 100 }
    await service.operate((operator) => setPartnerCaps(operator, 'acme', caps, 't1'))
    for (let round = 0; round < 10; round++) {
      service.clock.advance(dayMs)
      const answers = await Promise.all(Array.from({ length: 64 }, () => acme.award({ amount: 2000 })))
      deepEqual(statusesOf(answers), [...Array(50).fill(202), ...Array(14).fill(429)])
    }
  })

  await t.test(
    'perUserDay is filled to the last point by 64 awards of two partners at once, and not beyond',
    async () => {
      await service.operate((operator) => setTenantCaps(operator, 't1', 40))
      for (let round = 0; round < 10; round++) {
        service.clock.advance(dayMs)
        const order = { userEmail: 'lan@example.vn', amount: 1000 }
        const answers = await Promise.all(
          Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? acme : globex).award(order)),
        )
        deepEqual(statusesOf(answers), [...Array(40).fill(202), ...Array(24).fill(429)])
      }
    },
  )

  await t.test(
    'perUserDay is filled to the last point by two partners at once, each at its own node, and not beyond',
    async () => {
      // Their batches have no account in common: only the lock of the user's counter puts them in order.
      const clients = [acme, globex].map((partner, node) =>
        createClient(service.urls[node]!, partner, service.clock),
      )
      const order = { userEmail: 'lan@example.vn', amount: 1000 }
      for (let round = 0; round < 10; round++) {
        service.clock.advance(dayMs)
        // A batch that makes the counter would be put in order by its key.
        equal((await acme.award(order)).status, 202)
        const answers = await Promise.all(
          Array.from({ length: 64 }, (_, index) => clients[index % 2]!.award(order)),
        )
        deepEqual(statusesOf(answers), [...Array(39).fill(202), ...Array(25).fill(429)])
      }
    },
  )

  await t.test('afterwards the ledger is sound', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
  })
})
