import type { TestContext } from 'node:test'
import { createPartner, type NewPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { aNoon } from './test-clock.ts'

export const aMasterKey = Uint8Array.from({ length: 32 }, (_, index) => index)

/** Somebody at the command line, on a connection of their own to a real database. */
export function anOperator(test: Pick<TestContext, 'after'>, path: string, now = aNoon): Operator {
  const store = openSqlite(path)
  test.after(() => store.close())
  return { store: store.partners, actor: 'an operator', now }
}

/** Makes the partner acme with the tenant t1, unless told otherwise. */
export function makePartner(operator: Operator, overrides: Partial<NewPartner> = {}) {
  const acme = { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null }
  return createPartner(operator, { ...acme, ...overrides }, aMasterKey)
}
