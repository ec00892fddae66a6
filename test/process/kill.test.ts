import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { createClient } from '../support/client.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

const cycles = 6
const clients = 12

test('kill -9 under load loses nothing that was answered and credits nothing twice', async (t) => {
  const random = seededRandom(t)
  const path = join(temporaryFolder(t), 'ledger.db')
  const masterKey = Buffer.alloc(32, 7)
  const environment = { DATABASE_URL: `sqlite:${path}`, MASTER_KEY: masterKey.toString('base64') }
  const store = openSqlite(path)
  t.after(() => store.close())
  const key = await createPartner(
    { store: store.partners, actor: 'test', now: 0 },
    { partnerId: 'acme', name: 'Acme', tenants: ['t1', 't2'], perTx: null, perPartnerDay: null },
    masterKey,
  )

  /** Every order ever sent; its transaction id where an answer came back. */
  const sent = new Map<string, string | null>()
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const server = await startServerProcess(environment)
    t.after(() => server.end('SIGKILL'))
    const acme = createClient(server.url, key, systemClock)
    const load = Array.from({ length: clients }, async (_, client) => {
      for (let order = 1; ; order++) {
        const orderId = `${cycle}-${client}-${order}`
        sent.set(orderId, null)
        const answer = await acme.award(award(orderId)).catch(() => null)
        if (answer === null) return
        assert.equal(answer.status, 202)
        sent.set(orderId, answer.body.epTransactionId)
      }
    })
    await sleep(50 + random() * 300)
    await server.end('SIGKILL')
    await Promise.all(load)
  }

  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)
  let unanswered = 0
  for (const [orderId, epTransactionId] of sent) {
    const { status, body } = await acme.award(award(orderId))
    if (epTransactionId === null) {
      unanswered++
      assert.ok(status === 202 || status === 200, 'an order of unknown outcome is credited now or was before')
    } else {
      assert.deepEqual([status, body.epTransactionId], [200, epTransactionId], `${orderId} was answered`)
    }
  }
  const snapshot = await store.snapshot()
  const { sound, entries, fault } = await verifyLedger(snapshot, () => {})
  await snapshot.close()
  assert.deepEqual({ sound, entries, fault }, { sound: true, entries: sent.size, fault: null })
  t.diagnostic(`${cycles} kills, ${sent.size} orders, ${unanswered} of them unanswered`)
  assert.ok(unanswered > 0 && unanswered < sent.size, 'the kills hit the load')
})

function award(orderId: string) {
  const tenantId = orderId.endsWith('1') ? 't2' : 't1'
  return { tenantId, orderId, userEmail: `user${orderId.length}@example.com`, amount: 1000 }
}
