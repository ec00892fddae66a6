import type { BatchDecision, UserDay } from '../../rules/decide-batch.ts'
import type { Account, Entry } from '../../rules/entry.ts'
import { entryColumns, entryValues } from '../entry-row.ts'
import { dropUnusedUserDays, type LoadedBatch } from './batch-facts.ts'
import type { Statement } from './pipeline.ts'

/** Everything a decided batch writes, ready to be sent together with COMMIT. */
export function writeStatements(
  { partnerId, tenantId, day, users }: LoadedBatch,
  { entries, accounts, userDays }: BatchDecision,
): Statement[] {
  const credited = new Set(userDays.map(({ userEmail }) => userEmail))
  const unused = users.filter((user) => !credited.has(user))
  return [
    ...(entries.length === 0
      ? []
      : [insertEntries(partnerId, entries), updateUserDays(tenantId, day, userDays)]),
    ...accounts.map(({ account }) => updateAccount(partnerId, tenantId, account)),
    ...(unused.length === 0 ? [] : [dropUnusedUserDays(tenantId, unused, day)]),
  ]
}

const ownColumns = entryColumns.slice(1)
const columnTypes: Record<string, string> = {
  ep_transaction_id: 'uuid',
  tenant_id: 'text',
  order_id: 'text',
  user_email: 'text',
  note: 'text',
  meta: 'text',
  salt: 'bytea',
  commitment: 'bytea',
  hash: 'bytea',
}
const arrays = ownColumns.map((column, index) => `$${index + 2}::${columnTypes[column] ?? 'bigint'}[]`)

/**
 * One array for each column. The partner is named apart: it says which shard the rows belong to. Sorted: where two
 * tenants race for several orders of one partner, they meet at the first and do not deadlock. Nobody reads what is
 * returned: without it Citus would COPY the rows to their shard, and an error would come back without its SQLSTATE.
 */
function insertEntries(partnerId: string, entries: Entry[]): Statement {
  const sorted = entries.toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1))
  const rows = sorted.map((entry) => entryValues(entry).slice(1))
  return {
    name: 'insert-entries',
    text: `
      INSERT INTO entries (partner_id, ${ownColumns.join(', ')})
      SELECT $1, fresh.* FROM unnest(${arrays.join(', ')}) AS fresh (${ownColumns.join(', ')})
      RETURNING seq`,
    values: [partnerId, ...ownColumns.map((_, column) => rows.map((row) => row[column]))],
  }
}

function updateAccount(partnerId: string, tenantId: string, account: Account): Statement {
  const { seq, headHash, awardedAt, day, dayPoints } = account
  return {
    name: 'update-account',
    text: `
      UPDATE accounts SET seq = $3, head_hash = $4, awarded_at = $5, day = $6, day_points = $7
      WHERE partner_id = $1 AND tenant_id = $2`,
    values: [partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints],
  }
}

/**
 * The rows are there, locked: each conflicts, and is found by its key. A plan for UPDATE … FROM would read all counters
 * of the tenant's day instead.
 */
function updateUserDays(tenantId: string, day: number, userDays: UserDay[]): Statement {
  return {
    name: 'update-user-days',
    text: `
      INSERT INTO user_days (tenant_id, user_email, day, points)
      SELECT $1, totals.user_email, $2, totals.points
      FROM unnest($3::text[], $4::bigint[]) AS totals (user_email, points)
      ON CONFLICT (tenant_id, user_email, day) DO UPDATE SET points = excluded.points
      RETURNING day`,
    values: [tenantId, day, userDays.map(({ userEmail }) => userEmail), userDays.map(({ points }) => points)],
  }
}
