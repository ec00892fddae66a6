import { readConfig } from '../../src/config.ts'
import { type Verification, verifyLedger } from '../../src/proof/verify.ts'
import type { Operator } from '../../src/partners/operator.ts'
import type { Caps } from '../../src/rules/caps.ts'
import { type DatabaseLocation, openSnapshot, serveStore } from '../../src/stores/open.ts'
import type { StoreToServe } from '../../src/stores/store.ts'
import { freshDatabase } from './fresh-database.ts'
import { makePartner } from './operators.ts'
import { openRaw, type RawDatabase } from './raw-database.ts'
import type { Lifetime } from './service.ts'
import { soon } from './soon.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** A real ledger on the store that this run tests, without its HTTP listeners: acme (t1, t2), globex (t1). */
export type StoreLedger = {
  database: DatabaseLocation
  clock: TestClock
  store: StoreToServe
  operator: Operator
  raw: RawDatabase
  verify(): Promise<Verification>
}

const generous: Caps = { perTx: 2 ** 53 - 1, perPartnerDay: 2 ** 53 - 1, perUserDay: 2 ** 53 - 1 }

export async function aStoreLedger(test: Lifetime, caps: Partial<Caps> = {}): Promise<StoreLedger> {
  const fresh = await freshDatabase()
  const { database } = readConfig({
    DATABASE_URL: fresh.url,
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
  })
  const clock = createTestClock()
  const store = await serveStore(database, { caps: { ...generous, ...caps }, clock, warn: () => {} })
  const operator = { store: store.partners, actor: 'test', now: clock.now() }
  await soon(() => makePartner(operator, { tenants: ['t1', 't2'] }))
  await makePartner(operator, { partnerId: 'globex' })
  const raw = await openRaw(database)
  test.after(async () => {
    await raw.close()
    await store.close()
    await fresh.remove()
  })
  async function verify(): Promise<Verification> {
    const snapshot = await openSnapshot(database)
    try {
      return await verifyLedger(snapshot, () => {})
    } finally {
      await snapshot.close()
    }
  }
  return { database, clock, store, operator, raw, verify }
}
