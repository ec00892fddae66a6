import type { LedgerQueries } from '../../src/answers/ledger-queries.ts'
import { openQueries } from '../../src/stores/open.ts'
import type { Lifetime } from './service.ts'
import { aStoreLedger, type StoreLedger } from './store-ledger.ts'

/** A ledger and the read-only connection that operators' questions use. */
export async function aQueriedLedger(
  test: Lifetime,
  caps: Parameters<typeof aStoreLedger>[1] = {},
): Promise<StoreLedger & { queries: LedgerQueries }> {
  const queried: { queries?: LedgerQueries } = {}
  // Registered first and so run first: the connection is closed before the database is removed.
  test.after(() => queried.queries?.close())
  const ledger = await aStoreLedger(test, caps)
  queried.queries = await openQueries(ledger.database)
  return { ...ledger, queries: queried.queries }
}
