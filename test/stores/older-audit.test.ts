import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrateStore, openSnapshot, serveStore } from '../../src/stores/open.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { olderLedger } from '../support/older-ledger.ts'
import { createTestClock } from '../support/test-clock.ts'
import { withRaw } from '../support/transfers.ts'

async function verificationOf(database: Parameters<typeof openSnapshot>[0]) {
  const snapshot = await openSnapshot(database)
  try {
    return await verifyLedger(snapshot, () => {})
  } finally {
    await snapshot.close()
  }
}

test('audit rows of an older version become a chain, and what none of them tells is recorded as it was found', async (t) => {
  const database = await olderLedger(t)
  assert.ok((await migrateStore(database)).some((name) => name.includes('audit-chain')))
  const rows = await withRaw(database, (raw) =>
    raw.rows('SELECT audit_seq, at, actor, action, subject, before, origin FROM audit ORDER BY audit_seq'),
  )
  assert.deepEqual(
    rows.map((row) => [Number(row.audit_seq), row.actor, row.action, row.subject, row.origin]),
    [
      [1, 'cli:mai', 'partner create', 'partner acme', 'not recorded'],
      [2, 'cli:mai', 'partner allow', 'partner acme', 'not recorded'],
      [3, 'cli:mai', 'tenant caps', 'tenant t0', 'not recorded'],
      [4, 'cli:an', 'partner caps', 'partner acme', 'not recorded'],
      [5, 'migrate', 'recorded as found', 'tenant t1', 'service'],
      [6, 'migrate', 'recorded as found', 'partner globex', 'service'],
    ],
  )
  assert.deepEqual(
    rows.slice(0, 4).map(({ at }) => Number(at)),
    [1000, 2000, 3000, 4000],
  )
  assert.deepEqual((await verificationOf(database)).fault, null)
})

test('the first server after the migration keeps the caps that its environment had set', async (t) => {
  const database = await olderLedger(t)
  await migrateStore(database)
  const clock = createTestClock()
  const warnings: string[] = []
  const serve = (caps: { perTx?: number; perUserDay?: number }) =>
    serveStore(database, { caps, clock, warn: (message) => void warnings.push(message) })
  const first = await serve({ perTx: 5 })
  const set = await first.partners.defaultCaps()
  await first.close()
  assert.deepEqual(set, { perTx: 5, perPartnerDay: 1_000_000, perUserDay: 20_000, setAt: clock.now() })

  const later = await serve({ perTx: 6, perUserDay: 20_000 })
  assert.deepEqual(await later.partners.defaultCaps(), set)
  await later.close()
  assert.deepEqual(
    warnings.filter((warning) => warning.includes('CAP_')),
    [
      "CAP_PER_TX=6 differs from the ledger's 5 and is ignored: partner-credit defaults caps --per-tx 6 changes it",
    ],
  )
  assert.deepEqual((await verificationOf(database)).fault, null)
})
