import type { LedgerQueries } from '../../answers/ledger-queries.ts'
import type { Entry } from '../../rules/entry.ts'
import { answerStatements } from '../answer-statements.ts'
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
      partnerId === undefined
        ? entries(findStatements.order, [await ids(partnerIds), orderId])
        : entries(answerStatements.entryOfOrder, [partnerId, orderId]),
    entriesOfId: (epTransactionId) => entries(findStatements.id, [epTransactionId]),
    async entriesOfAddress({ userEmail, tenantId, partnerId = null }, limit) {
      const found =
        tenantId === undefined
          ? await entries(findStatements.address, [await ids(tenantIds), userEmail, partnerId, limit])
          : await entries(findStatements.addressInTenant, [tenantId, userEmail, partnerId, limit])
      return newestFirst(found)
    },
  }
}

const partnerIds = 'SELECT partner_id AS id FROM partners'
const tenantIds = 'SELECT tenant_id AS id FROM tenants'

const ofAddress = (inTenants: string) => `
  SELECT ${entrySelection} FROM entries
  WHERE tenant_id ${inTenants} AND user_email = $2 AND partner_id = coalesce($3, partner_id)
  ORDER BY awarded_at DESC, partner_id, seq DESC LIMIT $4`

/**
 * With the ids of all partners, or tenants: their index begins with that column, so that it is probed once for each. Of one
 * tenant, the index has the entries in the order of their times.
 */
export const findStatements = {
  order: `SELECT ${entrySelection} FROM entries WHERE partner_id = ANY($1::text[]) AND order_id = $2`,
  id: `SELECT ${entrySelection} FROM entries WHERE ep_transaction_id = $1`,
  address: ofAddress('= ANY($1::text[])'),
  addressInTenant: ofAddress('= $1'),
}
