import type { AccountId } from '../../../rules/cursor.ts'
import type { UserDay } from '../../../rules/decide-batch.ts'
import type { Entry } from '../../../rules/entry.ts'
import type { OrderId, UserDayId } from '../../../rules/facts-needed.ts'
import { columns } from '../../columns.ts'
import { entryColumns, entryValues } from '../../entry-row.ts'
import { grantSelection } from '../../grant-row.ts'
import { accountSelection, type AccountRow, entryArrays, knownSelection } from '../batch-statements.ts'
import type { Statement } from '../pipeline.ts'

/**
 * The statements of a batch of one account, or of one tenant's users on one day, as a busy partner has them. They name
 * one value of the distribution column, and the others of the key only if they differ. So they are shorter than those in
 * one-shard.ts, and planned faster, which matters in small batches.
 */
export function lockAccount({ partnerId, tenantId }: AccountId): Statement {
  return {
    name: 'lock-account',
    text: `SELECT ${accountSelection} FROM accounts WHERE partner_id = $1 AND tenant_id = $2 FOR UPDATE`,
    values: [partnerId, tenantId],
  }
}

/** Of plain tables on the coordinator. With arrays, as for many accounts, PostgreSQL would plan it again each time. */
export function selectGrant({ partnerId, tenantId }: AccountId): Statement {
  return {
    name: 'select-grant',
    text: `
      SELECT grants.partner_id AS "partnerId", grants.tenant_id AS "tenantId", ${grantSelection}
      WHERE grants.partner_id = $1 AND grants.tenant_id = $2`,
    values: [partnerId, tenantId],
  }
}

/** Of each order by itself: with a list of orders, a worker without statistics would read all entries of the partner. */
export function selectKnownOf(partnerId: string, orders: OrderId[]): Statement {
  return {
    name: 'select-known-of-partner',
    text: `
      SELECT known.* FROM pg_catalog.unnest($2::text[]) AS wanted (order_id), LATERAL (
        SELECT ${knownSelection} FROM entries
        WHERE entries.partner_id = $1 AND entries.order_id = wanted.order_id OFFSET 0
      ) AS known`,
    values: [partnerId, orders.map(({ orderId }) => orderId)],
  }
}

/** Of each user by itself, for the same reason. */
export function lockDayOf(tenantId: string, rows: UserDayId[]): Statement {
  return {
    name: 'lock-user-days-of-tenant',
    text: `
      SELECT counter.* FROM pg_catalog.unnest($2::text[]) AS wanted (user_email), LATERAL (
        SELECT ${userDaySelection} FROM user_days
        WHERE user_days.tenant_id = $1 AND user_days.user_email = wanted.user_email AND user_days.day = $3 FOR UPDATE
      ) AS counter`,
    values: [tenantId, rows.map(({ userEmail }) => userEmail), rows[0]!.day],
  }
}

/** From the account's row, for the reason given in one-shard.ts. */
export function insertEntriesOf(entries: Entry[]): Statement {
  const { partnerId, tenantId } = entries[0]!
  const rows = entries.map(entryValues)
  return {
    name: 'insert-entries-of-account',
    text: `
      INSERT INTO entries (${entryColumns.join(', ')})
      SELECT accounts.partner_id, accounts.tenant_id, fresh.*
      FROM accounts, unnest(${entryArrays(ownColumns, 3)}) AS fresh
      WHERE accounts.partner_id = $1 AND accounts.tenant_id = $2`,
    values: [partnerId, tenantId, ...ownColumns.map((_, column) => rows.map((row) => row[column + 2]))],
    affects: entries.length,
  }
}

/** Without the account's. */
const ownColumns = entryColumns.slice(2)

/**
 * Of users that have a counter and of those that have none yet, in one statement. It selects from a counter that we have
 * locked, so that there is a table to read from, as in one-shard.ts. `before` has the points of those that we have locked:
 * any other that is there by now was inserted by another batch meanwhile, and gets -1 points, which the table refuses.
 * As text (`->>`), because before version 18 PostgreSQL refuses to cast JSON's null to a number.
 */
export function writeDayOf(rows: (UserDay & { before: number | null })[], locked: UserDay): Statement {
  const before = rows.map(({ userEmail, before }) => [userEmail, before])
  return {
    name: 'write-user-days-of-tenant',
    text: `
      INSERT INTO user_days (tenant_id, user_email, day, points)
      SELECT locked.tenant_id, fresh.user_email, locked.day, fresh.points
      FROM user_days AS locked, unnest($4::text[], $5::bigint[]) AS fresh (user_email, points)
      WHERE locked.tenant_id = $1 AND locked.user_email = $2 AND locked.day = $3
      ON CONFLICT (tenant_id, user_email, day) DO UPDATE SET points =
        CASE WHEN user_days.points = ($6::jsonb ->> excluded.user_email)::bigint THEN excluded.points ELSE -1 END`,
    values: [
      locked.tenantId,
      locked.userEmail,
      locked.day,
      rows.map(({ userEmail }) => userEmail),
      rows.map(({ points }) => points),
      JSON.stringify(Object.fromEntries(before)),
    ],
    affects: rows.length,
  }
}

export function updateAccount(account: AccountRow): Statement {
  const { partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints } = account
  return {
    name: 'update-account',
    text: `
      UPDATE accounts SET seq = $3, head_hash = $4, awarded_at = $5, day = $6, day_points = $7
      WHERE partner_id = $1 AND tenant_id = $2`,
    values: [partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints],
    affects: 1,
  }
}

export const userDaySelection = columns<UserDay>('tenantId', 'userEmail', 'day', 'points')
