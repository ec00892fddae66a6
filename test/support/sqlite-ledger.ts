import { createHash } from 'node:crypto'
import type { LedgerSnapshot } from '../../src/proof/ledger-snapshot.ts'
import { type Verification, verifyLedger } from '../../src/proof/verify.ts'
import { verifyInSteps } from '../../src/proof/verify-steps.ts'
import type { Caps } from '../../src/rules/caps.ts'
import type { AwardCommand } from '../../src/rules/entry.ts'
import { openSqlite, readSqlite, serveSqlite } from '../../src/stores/sqlite/open.ts'
import type { StoreToServe } from '../../src/stores/store.ts'
import { anAward } from './awards.ts'
import { makePartner } from './operators.ts'
import type { Lifetime } from './service.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

export const defaultCaps: Caps = { perTx: 10_000, perPartnerDay: 1_000_000, perUserDay: 20_000 }

/** A real embedded ledger without its HTTP listeners. */
export type SqliteLedger = {
  path: string
  clock: TestClock
  store: StoreToServe
  close(): Promise<void>
}

/** Opens it, and creates the partners acme (t1, t2) and globex (t1) if the file is new. */
export async function openSqliteLedger(
  test: Lifetime,
  path: string,
  caps = defaultCaps,
): Promise<SqliteLedger> {
  const clock = createTestClock()
  const store = await serveSqlite(path, { caps, clock })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= store.ledger.close().then(() => store.close())
    return closing
  }
  test.after(close)
  const operator = { store: store.partners, actor: 'test', now: clock.now() }
  if ((await store.partners.partners()).length === 0) {
    await makePartner(operator, { tenants: ['t1', 't2'] })
    await makePartner(operator, { partnerId: 'globex', tenants: ['t1'] })
  }
  return { path, clock, store, close }
}

/** An award whose id and salt are derived from its order. */
export function anOrder(orderId: string, overrides: Partial<AwardCommand> = {}): AwardCommand {
  const { partnerId = 'acme' } = overrides
  const digest = createHash('sha256').update(`${partnerId} ${orderId}`).digest()
  const hex = digest.toString('hex')
  const epTransactionId = `019a0000-0000-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
  return anAward({ orderId, epTransactionId, salt: digest.subarray(0, 16), ...overrides })
}

/** The result of `verify` for the ledger in a file. */
export async function verifyFile(path: string): Promise<Verification> {
  const snapshot = await snapshotOf(path)
  try {
    return await verifyLedger(snapshot, () => {})
  } finally {
    await snapshot.close()
  }
}

/** The result of `verify` for a file, with all steps. */
export async function verifyWholeFile(path: string): Promise<Verification> {
  const snapshot = readSqlite(path, { atOneInstant: false })
  try {
    return (await verifyInSteps(snapshot, { progressOf: () => () => {} })).verification
  } finally {
    await snapshot.close()
  }
}

/** The file as an auditor sees it, beside a running server or without one. */
export async function snapshotOf(path: string): Promise<LedgerSnapshot> {
  const store = openSqlite(path)
  try {
    return await store.snapshot()
  } finally {
    await store.close()
  }
}
