import type {
  AuditFilter,
  EntryPlace,
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
import { type Database, openDatabase } from './database.ts'
import { createEntrySearch } from './find-entries.ts'
import { type EntryPlaces, type MissingPlaces, openPlaces } from './follower/entry-places.ts'
import { noFollowedDays } from './follower/followed-days.ts'
import { operatorFileOf } from './follower/operator-file.ts'
import { assertMigrated } from './migrate.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { loadDefaultCaps, loadPartners, loadTenantModes, loadTenants } from './partner-records.ts'
import { prepareReading } from './stored-values.ts'
import { readHighestUserDays, readUserDays } from './user-entries.ts'

/** On a read-only connection of its own, beside a running server or without one. */
export function openLedgerQueries(path: string): LedgerQueries {
  const database = openDatabase(path, { readOnly: true })
  try {
    assertMigrated(database, path)
    const places = openPlaces(operatorFileOf(path), database)
    return {
      ...ledgerQueriesOn(database, places),
      async close() {
        if (!('why' in places)) places.close()
        database.close()
      },
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function ledgerQueriesOn(
  database: Database,
  places: EntryPlaces | MissingPlaces,
): Omit<LedgerQueries, 'close'> {
  const search = createEntrySearch(database, places)
  function entriesAt(places: EntryPlace[]) {
    const at = prepareReading(database, 'entries', sql.entryAt)
    return places.map(({ partnerId, tenantId, seq }) => {
      const row = at.get(partnerId, tenantId, seq) as EntryRow | undefined
      return row && entryOf(row)
    })
  }
  const partnersOf = (partnerId?: string) =>
    loadPartners(database, partnerId).map(withoutSecrets).map(withTimesOfPartner)
  return {
    partners: () =>
      listedRows<ShownPartner, KnownPartner>({
        all: async () => partnersOf(),
        known: async () =>
          prepareNumbered(database, partnerStatements.selectKnownPartners).all() as KnownPartner[],
        one: async ({ partnerId }) => partnersOf(partnerId),
      }),
    partner: async (partnerId) => partnersOf(partnerId)[0],
    tenants: () =>
      listedRows<Tenant, KnownTenant>({
        all: async () => loadTenants(database).map(withTimesOfTenant),
        known: async () => loadTenantModes(database),
        one: async ({ tenantId }) => loadTenants(database, tenantId).map(withTimesOfTenant),
      }),
    defaultCaps: async () => loadDefaultCaps(database),
    auditRows: (filter) => readAuditRows(database, filter),

    async entryOfOrder({ partnerId, orderId }) {
      const row = prepareReading(database, 'entries', sql.entryOfOrder).get(partnerId, orderId) as
        | EntryRow
        | undefined
      return row && entryOf(row)
    },
    ...search,
    entryAt: async (place) => entriesAt([place])[0],
    entriesAt: async (places) => entriesAt(places),
    async *entriesIn(range) {
      const page = prepareReading(database, 'entries', sql.entriesIn)
      for (const { partnerId, tenantId, firstSeq, lastSeq } of pagesOf(range, entriesInPage))
        yield (page.all(partnerId, tenantId, firstSeq, lastSeq) as EntryRow[]).map(entryOf)
    },
    accounts: async (filter) => readAccounts(database, filter),
    accountDays: (filter) =>
      readAccountDays(database, filter, () =>
        'why' in places ? noFollowedDays : places.accountDays(filter),
      ),

    highestUserDays: async (ranges, limit) => readHighestUserDays(database, ranges, limit),
    userDays: async (user) => readUserDays(database, user),
  }
}

async function* readAuditRows(
  database: Database,
  { since = 0, subjects }: AuditFilter,
): AsyncGenerator<AuditRow[]> {
  const page = prepareReading(
    database,
    'audit',
    sql.auditPage('($3 IS NULL OR subject IN (SELECT value FROM json_each($3)))'),
  )
  const wanted = subjects === undefined ? null : JSON.stringify(subjects)
  for (let after = 0; ; ) {
    const rows = page.all(after, since, wanted) as AuditRow[]
    if (rows.length === 0) return
    after = rows.at(-1)!.auditSeq
    yield rows
  }
}
