import { entryColumns, entryValues } from '../entry-row.ts'
import { grantSelection } from '../grant-row.ts'
import {
  accountSelection,
  arraysOf,
  type BatchStatements,
  entryArrays,
  knownSelection,
} from './batch-statements.ts'

/**
 * A batch of one account, for Citus. The partner or the tenant is a parameter of its own, from which Citus finds the shard.
 * A batch of several accounts would be a two-phase commit over many shards.
 *
 * The writes have a RETURNING clause whose rows are not used. Without it Citus would COPY the rows to their shard, and
 * errors would have no SQLSTATE.
 */
export const oneAccount: BatchStatements = {
  lockAccounts: ([account]) => ({
    name: 'lock-account',
    text: `SELECT ${accountSelection} FROM accounts WHERE partner_id = $1 AND tenant_id = $2 FOR UPDATE`,
    values: [account!.partnerId, account!.tenantId],
  }),

  selectGrants: ([account]) => ({
    name: 'select-grant',
    text: `
      SELECT grants.partner_id AS "partnerId", grants.tenant_id AS "tenantId", ${grantSelection}
      WHERE grants.partner_id = $1 AND grants.tenant_id = $2`,
    values: [account!.partnerId, account!.tenantId],
  }),

  lockUserDays: (userDays) => ({
    name: 'lock-user-days-of-tenant',
    text: `
      INSERT INTO user_days (tenant_id, user_email, day, points)
      SELECT $1, users.email, $3, 0 FROM unnest($2::text[]) AS users (email)
      ON CONFLICT (tenant_id, user_email, day) DO UPDATE SET points = user_days.points
      RETURNING tenant_id AS "tenantId", user_email AS "userEmail", day, points`,
    values: [userDays[0]!.tenantId, userDays.map(({ userEmail }) => userEmail), userDays[0]!.day],
  }),

  makeUserDays: null,

  selectKnown: (orders) => ({
    name: 'select-known-of-partner',
    text: `SELECT ${knownSelection} FROM entries WHERE partner_id = $1 AND order_id = ANY($2::text[])`,
    values: [orders[0]!.partnerId, orders.map(({ orderId }) => orderId)],
  }),

  insertEntries(entries) {
    const rows = entries.map((entry) => entryValues(entry).slice(1))
    return {
      name: 'insert-entries-of-partner',
      text: `
        INSERT INTO entries (partner_id, ${ownColumns.join(', ')})
        SELECT $1, fresh.* FROM unnest(${entryArrays(ownColumns, 2)}) AS fresh (${ownColumns.join(', ')})
        RETURNING seq`,
      values: [entries[0]!.partnerId, ...ownColumns.map((_, column) => rows.map((row) => row[column]))],
    }
  },

  updateAccounts([account]) {
    const { partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints } = account!
    return {
      name: 'update-account',
      text: `
        UPDATE accounts SET seq = $3, head_hash = $4, awarded_at = $5, day = $6, day_points = $7
        WHERE partner_id = $1 AND tenant_id = $2`,
      values: [partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints],
    }
  },

  insertUserDays: null,

  updateUserDays: (userDays) => ({
    name: 'update-user-days-of-tenant',
    text: `
      INSERT INTO user_days (tenant_id, user_email, day, points)
      SELECT $1, totals.user_email, $2, totals.points
      FROM unnest($3::text[], $4::bigint[]) AS totals (user_email, points)
      ON CONFLICT (tenant_id, user_email, day) DO UPDATE SET points = excluded.points
      RETURNING day`,
    values: [userDays[0]!.tenantId, userDays[0]!.day, ...arraysOf(userDays, 'userEmail', 'points')],
  }),
}

const ownColumns = entryColumns.slice(1)
