import type { ChangedPartner, ChangePosition } from '../../partners/partner-store.ts'
import {
  type ChangedKeyRow,
  type ChangedPartnerRow,
  changedPartnersOf,
  directoryKeySelection,
  grantInModeSelection,
  type Owned,
} from '../partner-rows.ts'
import { partnerStatements as sql } from '../partner-statements.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/** One page of partners in the order of their last change, with their grants and keys. */
export function readChangedPartners(
  database: Database,
  { changedIn, partnerId }: ChangePosition,
  limit: number,
): ChangedPartner[] {
  const partners = prepareNumbered(database, sql.selectChangedPartners).all(
    changedIn,
    partnerId,
    limit,
  ) as ChangedPartnerRow[]
  const ids = JSON.stringify(partners.map((partner) => partner.partnerId))
  function rowsOf<T>(selection: string, table: string, order: string): T[] {
    const select = `SELECT ${selection} FROM ${table} WHERE partner_id IN (SELECT value FROM json_each(?)) ORDER BY ${order}`
    return database.prepare(select).all(ids) as T[]
  }
  return changedPartnersOf(
    partners,
    rowsOf<Owned<ChangedPartner['grants'][0]>>(
      grantInModeSelection,
      'grants JOIN tenants USING (tenant_id)',
      'tenant_id',
    ),
    rowsOf<ChangedKeyRow>(directoryKeySelection, 'keys', 'created_at, key_id'),
  )
}

/** With the version that this transaction has raised the settings to. */
export function markChanged(database: Database, partnerId: string, version: number): void {
  prepareNumbered(database, sql.markPartnerChanged).run(partnerId, version)
}
