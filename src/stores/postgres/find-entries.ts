import type { LedgerQueries } from '../../answers/ledger-queries.ts'
import type { Entry } from '../../rules/entry.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import { newestFirst } from '../user-rows.ts'
import { type Pool, withClient } from './database.ts'
import { readStored } from './stored-values.ts'

type EntrySearch = Pick<LedgerQueries, 'entriesOfOrder' | 'entriesOfId' | 'entriesOfAddress'>

/** Every search has its index: entries_by_order, entries_by_id, entries_by_user. */
export function createEntrySearch(pool: Pool): EntrySearch {
  async function entries(sql: string, values: unknown[]): Promise<Entry[]> {
    const rows = await withClient(pool, (client) => readStored<EntryRow>(client, sql, values))
    return rows.map(entryOf)
  }
  async function ids(sql: string): Promise<string[]> {
    const { rows } = await withClient(pool, (client) => client.query<{ id: string }>(sql))
    return rows.map(({ id }) => id)
  }
  return {
    entriesOfOrder: async (orderId, partnerId) =>
      entries(ofOrder, [partnerId === undefined ? await ids(partnerIds) : [partnerId], orderId]),
    entriesOfId: (epTransactionId) => entries(ofId, [epTransactionId]),
    entriesOfAddress: async ({ userEmail, tenantId, partnerId = null }, limit) =>
      newestFirst(
        tenantId === undefined
          ? await entries(ofAddress('= ANY($1)'), [await ids(tenantIds), userEmail, partnerId, limit])
          : await entries(ofAddress('= $1'), [tenantId, userEmail, partnerId, limit]),
      ),
  }
}

const partnerIds = 'SELECT partner_id AS id FROM partners'
const tenantIds = 'SELECT tenant_id AS id FROM tenants'

/** By their ids: an index whose first column is the partner, or the tenant, is probed once for each. */
const ofOrder = `SELECT ${entrySelection} FROM entries WHERE partner_id = ANY($1) AND order_id = $2`
const ofId = `SELECT ${entrySelection} FROM entries WHERE ep_transaction_id = $1`
/** Of one tenant, the index has them in this order. */
const ofAddress = (inTenants: string) => `
  SELECT ${entrySelection} FROM entries
  WHERE tenant_id ${inTenants} AND user_email = $2 AND partner_id = coalesce($3, partner_id)
  ORDER BY awarded_at DESC LIMIT $4`
