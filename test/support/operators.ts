import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPartner, type NewPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import type { Change } from '../../src/partners/partner-store.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { type Lifetime, temporaryFolder } from './service.ts'
import { aNoon } from './test-clock.ts'

export const aMasterKey = Uint8Array.from({ length: 32 }, (_, index) => index)

/** An operator at the command line, with their own connection to a real database. */
export function anOperator(test: Lifetime, path: string, now = aNoon): Operator {
  const store = openSqlite(path)
  test.after(() => store.close())
  return { store: store.partners, actor: 'an operator', now }
}

/** Who made a change, for tests that call the store directly. */
export function aChange(overrides: Partial<Change> = {}): Change {
  const by = { actor: 'test', action: 'partner caps', at: aNoon }
  return { ...by, reason: null, origin: 'service', address: null, admittedAs: null, ...overrides }
}

/** Creates a partner; by default acme, with the tenant t1. */
export function makePartner(operator: Operator, overrides: Partial<NewPartner> = {}) {
  const acme = { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null }
  return createPartner(operator, { ...acme, ...overrides }, aMasterKey)
}

/** A database with acme (t1, t2; its own caps) and globex (t1), an operator, and a dump of everything stored. */
export async function aPartnerDatabase(test: Lifetime) {
  const path = join(temporaryFolder(test), 'ledger.db')
  const maker = anOperator(test, path)
  const acme = await makePartner(maker, { tenants: ['t1', 't2'], perTx: 100, perPartnerDay: 1000 })
  const globex = await makePartner(maker, { partnerId: 'globex', name: 'Globex' })
  const operator: Operator = {
    ...maker,
    actor: 'mai',
    now: aNoon + 1000,
    reason: 'ticket 7',
    origin: 'command line',
    address: 'desk-1',
  }
  const raw = new DatabaseSync(path)
  test.after(() => raw.close())
  return { operator, acme, globex, raw, dump: () => dumpOf(raw) }
}

const tables = [
  'partners',
  'tenants',
  'grants',
  'keys',
  'default_caps',
  'audit',
  'audit_head',
  'settings_version',
  'keepsakes',
]

/** Every row that an operator can change, as text. */
function dumpOf(raw: DatabaseSync): Record<string, unknown[]> {
  return Object.fromEntries(tables.map((table) => [table, raw.prepare(`SELECT * FROM ${table}`).all()]))
}
