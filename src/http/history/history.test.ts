import assert from 'node:assert/strict'
import { test } from 'node:test'
import { denyTenant } from '../../partners/allow-tenant.ts'
import { suspendPartner } from '../../partners/set-partner-status.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { startService, type TestService } from '../../../test/support/service.ts'

test('an award is listed with exactly the fields of the specification', async (t) => {
  const { acme } = await startService(t)
  const award = await acme.award({
    orderId: 'A-1',
    userEmail: 'Ann@Example.com',
    note: 'thanks',
    meta: { a: 1 },
  })
  const { status, body } = await acme.history('t1')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    tenantId: 't1',
    items: [
      {
        epTransactionId: award.body.epTransactionId,
        orderId: 'A-1',
        userEmail: 'ann@example.com',
        points: 5,
        note: 'thanks',
        awardedAt: '2026-11-15T05:00:00.000Z',
      },
    ],
    nextCursor: null,
  })
})

test('pages are newest first, 20 by default, and the last one has no cursor, also when it is full', async (t) => {
  const service = await startService(t)
  for (let order = 1; order <= 41; order++) await service.acme.award({ orderId: `n${order}` })
  const first = await service.acme.history('t1')
  assert.equal(first.body.items.length, 20)
  assert.equal(first.body.items[0].orderId, 'n41')
  const expected = Array.from({ length: 41 }, (_, index) => `n${41 - index}`)
  assert.deepEqual(await walk(service, 20), expected)
  assert.deepEqual(await walk(service, 41), expected)
  assert.equal((await service.acme.history('t1', '&limit=41')).body.nextCursor, null)
  assert.equal((await service.acme.history('t1', '&limit=40')).body.nextCursor.length, 23)
})

test('awards that arrive during a walk appear before its first page and never behind its cursor', async (t) => {
  const service = await startService(t)
  for (let order = 1; order <= 30; order++) await service.acme.award({ orderId: `before-${order}` })
  let more = 0
  const walked = await walk(service, 7, () => service.acme.award({ orderId: `during-${++more}` }))
  assert.deepEqual(
    walked,
    Array.from({ length: 30 }, (_, index) => `before-${30 - index}`),
  )
})

test('a partner sees its own awards in that tenant and no others', async (t) => {
  const { acme, globex } = await startService(t)
  await acme.award({ tenantId: 't1', orderId: 'a1' })
  await acme.award({ tenantId: 't2', orderId: 'a2' })
  await globex.award({ tenantId: 't1', orderId: 'g1' })
  const orders = async (answer: ReturnType<typeof acme.history>) =>
    (await answer).body.items.map(({ orderId }: { orderId: string }) => orderId)
  assert.deepEqual(await orders(acme.history('t1')), ['a1'])
  assert.deepEqual(await orders(acme.history('t2')), ['a2'])
  assert.deepEqual(await orders(globex.history('t1')), ['g1'])
  assert.equal((await globex.history('t2')).body.code, 'TENANT_NOT_ALLOWED')
})

test('a suspended partner still reads; one whose tenant was withdrawn does not', async (t) => {
  const { acme, operate } = await startService(t)
  await acme.award({ orderId: 'A-1' })
  await operate((operator) => suspendPartner(operator, 'acme'))
  await operate((operator) => denyTenant(operator, 'acme', 't1'))
  const everyNode = () => Promise.all([1, 2, 3].map(() => acme.history('t1')))
  await eventually('every node notices', async () =>
    (await everyNode()).every(({ status }) => status === 403),
  )
  assert.equal((await acme.history('t1')).body.code, 'TENANT_NOT_ALLOWED')
  assert.equal((await acme.history('t2')).status, 200)
})

async function walk({ acme }: TestService, limit: number, between: () => Promise<unknown> = async () => {}) {
  const orders: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await acme.history('t1', `&limit=${limit}${cursor && `&cursor=${cursor}`}`)
    for (const { orderId } of body.items) orders.push(orderId)
    if (body.nextCursor === null) return orders
    cursor = body.nextCursor
    await between()
  }
}
