import type {
  AuditFilter,
  KnownPartner,
  KnownTenant,
  LedgerQueries,
  ShownPartner,
} from '../../answers/ledger-queries.ts'
import type { Tenant } from '../../partners/partner-store.ts'
import type { AuditRow } from '../../rules/audit-hash.ts'
import { answerStatements as sql } from '../answer-statements.ts'
import { entriesInPage, pagesOf } from '../day-ranges.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import { listedRows, withTimesOfPartner, withTimesOfTenant } from '../listed-rows.ts'
import { withoutSecrets } from '../partner-rows.ts'
import { partnerStatements } from '../partner-statements.ts'
import { readAccountDays, readAccounts } from './account-days.ts'
import { explained, openPool, type Pool, type Schema, withClient } from './database.ts'
import { readEntriesAt } from './entries-at.ts'
import { createEntrySearch } from './find-entries.ts'
import { assertMigrated } from './migrate.ts'
import { loadDefaultCaps, loadPartners, loadTenants } from './partner-records.ts'
import { readStored } from './stored-values.ts'
import { readHighestUserDays } from './user-entries.ts'

/** No statement reads more than a page, but the database may be busy. */
const answerMaxMs = 60_000
const connectMaxMs = 5000

/** For the command line and the operator API, on connections of its own. */
export async function openLedgerQueries(url: string, schema: Schema = null): Promise<LedgerQueries> {
  const pool = openPool(url, { connectionsMax: 2, answerMaxMs, connectMaxMs, schema: () => schema })
  try {
    await explained(() => withClient(pool, (client) => assertMigrated(client, schema)))
    return { ...ledgerQueriesOn(pool), close: () => pool.end() }
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** A connection is lent for one statement at a time: whoever reads a long answer may ask something else meanwhile. */
function ledgerQueriesOn(pool: Pool): Omit<LedgerQueries, 'close'> {
  const rowsOf = <T>(statement: string, values: unknown[]) =>
    withClient(pool, (client) => readStored<T>(client, statement, values))
  async function entry(statement: string, values: unknown[]) {
    const [row] = await rowsOf<EntryRow>(statement, values)
    return row && entryOf(row)
  }
  const partnersOf = async (partnerId?: string) =>
    (await withClient(pool, (client) => loadPartners(client, partnerId)))
      .map(withoutSecrets)
      .map(withTimesOfPartner)
  const tenantsOf = async (tenantId?: string) =>
    (await withClient(pool, (client) => loadTenants(client, tenantId))).map(withTimesOfTenant)
  return {
    partners: () =>
      listedRows<ShownPartner, KnownPartner>({
        all: () => partnersOf(),
        known: () => rowsOf(partnerStatements.selectKnownPartners, []),
        one: ({ partnerId }) => partnersOf(partnerId),
      }),
    partner: async (partnerId) => (await partnersOf(partnerId))[0],
    tenants: () =>
      listedRows<Tenant, KnownTenant>({
        all: () => tenantsOf(),
        known: () => rowsOf(partnerStatements.selectKnownTenants, []),
        one: ({ tenantId }) => tenantsOf(tenantId),
      }),
    defaultCaps: () => withClient(pool, loadDefaultCaps),
    auditRows: (filter) => readAuditRows(pool, filter),

    entryOfOrder: ({ partnerId, orderId }) => entry(sql.entryOfOrder, [partnerId, orderId]),
    ...createEntrySearch(pool),
    entryAt: ({ partnerId, tenantId, seq }) => entry(sql.entryAt, [partnerId, tenantId, seq]),
    entriesAt: (places) => readEntriesAt(pool, places),
    async *entriesIn(range) {
      for (const { partnerId, tenantId, firstSeq, lastSeq } of pagesOf(range, entriesInPage)) {
        const rows = await rowsOf<EntryRow>(sql.entriesIn, [partnerId, tenantId, firstSeq, lastSeq])
        yield rows.map(entryOf)
      }
    },
    accounts: (filter) => readAccounts(pool, filter),
    accountDays: (filter) => readAccountDays(pool, filter),

    highestUserDays: (ranges, limit) => readHighestUserDays(pool, ranges, limit),
    userDays: ({ tenantId, userEmail }) => rowsOf(sql.userDays, [tenantId, userEmail]),
  }
}

async function* readAuditRows(pool: Pool, { since = 0, subjects }: AuditFilter): AsyncGenerator<AuditRow[]> {
  const page = sql.auditPage('($3::text[] IS NULL OR subject = ANY ($3))')
  for (let after = 0; ; ) {
    const rows = await withClient(pool, (client) =>
      readStored<AuditRow>(client, page, [after, since, subjects ?? null]),
    )
    if (rows.length === 0) return
    after = rows.at(-1)!.auditSeq
    yield rows
  }
}
