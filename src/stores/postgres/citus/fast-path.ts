import type { AccountId } from '../../../rules/cursor.ts'
import type { UserDay } from '../../../rules/decide-batch.ts'
import type { OrderId, UserDayId } from '../../../rules/facts-needed.ts'
import { columns } from '../../columns.ts'
import { grantSelection } from '../../grant-row.ts'
import { accountSelection, type AccountRow, knownSelection } from '../batch-statements.ts'
import type { Statement } from '../pipeline.ts'

/**
 * The statements of a batch of one account, or of one tenant's users on one day, as a busy partner has them. They name
 * one table and one value of its distribution column. Citus and the worker plan these in half the time of the joins in
 * one-shard.ts, which matters in small batches.
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

export function selectKnownOf(partnerId: string, orders: OrderId[]): Statement {
  return {
    name: 'select-known-of-partner',
    text: `SELECT ${knownSelection} FROM entries WHERE partner_id = $1 AND order_id = ANY($2::text[])`,
    values: [partnerId, orders.map(({ orderId }) => orderId)],
  }
}

export function lockDayOf(tenantId: string, rows: UserDayId[]): Statement {
  return {
    name: 'lock-user-days-of-tenant',
    text: `
      SELECT ${userDaySelection} FROM user_days
      WHERE tenant_id = $1 AND user_email = ANY($2::text[]) AND day = $3 ORDER BY user_email FOR UPDATE`,
    values: [tenantId, rows.map(({ userEmail }) => userEmail), rows[0]!.day],
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

/** A counter that is not what it was when it was locked gets -1 points, as in one-shard.ts. */
export function updateDayOf(tenantId: string, rows: (UserDay & { before: number | undefined })[]): Statement {
  const place = 'array_position($2::text[], user_email)'
  return {
    name: 'update-user-days-of-tenant',
    text: `
      UPDATE user_days SET points = CASE
        WHEN points = ($5::bigint[])[${place}] THEN ($4::bigint[])[${place}] ELSE -1 END
      WHERE tenant_id = $1 AND user_email = ANY($2::text[]) AND day = $3`,
    values: [
      tenantId,
      rows.map(({ userEmail }) => userEmail),
      rows[0]!.day,
      rows.map(({ points }) => points),
      rows.map(({ before }) => before),
    ],
    affects: rows.length,
  }
}

/** Of so many users, the time for finding each among the others is still small. */
export const updateDayMax = 128

export const userDaySelection = columns<UserDay>('tenantId', 'userEmail', 'day', 'points')
