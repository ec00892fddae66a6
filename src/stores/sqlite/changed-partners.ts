import type { ChangedPartner, ChangePosition, Grant, Key } from '../../partners/partner-store.ts'
import {
  changedPartnerSelection,
  grantSelection,
  keySelection,
  type Owned,
  type PartnerRow,
  partnersOf,
} from '../partner-rows.ts'
import type { Database } from './database.ts'

/** One page of partners in the order of their last change, with their grants and keys. */
export function readChangedPartners(
  database: Database,
  { changedIn, partnerId }: ChangePosition,
  limit: number,
): ChangedPartner[] {
  const partners = database
    .prepare(`
      SELECT ${changedPartnerSelection} FROM partners WHERE (changed_in, partner_id) > (?, ?)
      ORDER BY changed_in, partner_id LIMIT ?`)
    .all(changedIn, partnerId, limit) as (PartnerRow & { changedIn: number })[]
  const ids = JSON.stringify(partners.map((partner) => partner.partnerId))
  function rowsOf<T>(selection: string, table: string, order: string): T[] {
    const sql = `SELECT ${selection} FROM ${table} WHERE partner_id IN (SELECT value FROM json_each(?)) ORDER BY ${order}`
    return database.prepare(sql).all(ids) as T[]
  }
  return partnersOf(
    partners,
    rowsOf<Owned<Grant>>(grantSelection, 'grants', 'tenant_id'),
    rowsOf<Owned<Key>>(keySelection, 'keys', 'created_at, key_id'),
  )
}

/** After the settings version was raised, in the same transaction. */
export function markChanged(database: Database, partnerId: string): void {
  database
    .prepare('UPDATE partners SET changed_in = (SELECT version FROM settings_version) WHERE partner_id = ?')
    .run(partnerId)
}
