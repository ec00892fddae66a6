import { entryColumns, entryValues } from '../entry-row.ts'
import { type UserDay, userDayKey } from '../../rules/decide-batch.ts'
import { columns } from '../columns.ts'
import { grantSelection } from '../grant-row.ts'
import {
  accountSelection,
  arraysOf,
  type BatchStatements,
  entryArrays,
  knownSelection,
} from './batch-statements.ts'
import type { Statement } from './pipeline.ts'

/**
 * A batch of any number of accounts, for one PostgreSQL. Every row is found by its key, whatever the planner's statistics
 * say. A lookup that must not become part of a join, which could scan a whole table, is a LATERAL subquery (a lock or
 * OFFSET 0 prevents its flattening). Updates are written as INSERT … ON CONFLICT DO UPDATE.
 */
export const manyAccounts: BatchStatements = {
  keepInPlace: () => [],

  lockAccounts: (accounts) => ({
    name: 'lock-accounts',
    text: `
      SELECT account.* FROM unnest($1::text[], $2::text[]) AS wanted (partner_id, tenant_id), LATERAL (
        SELECT ${accountSelection} FROM accounts
        WHERE accounts.partner_id = wanted.partner_id AND accounts.tenant_id = wanted.tenant_id FOR UPDATE
      ) AS account`,
    values: arraysOf(accounts, 'partnerId', 'tenantId'),
  }),

  selectGrants: (accounts) => ({
    name: 'select-grants',
    text: `
      SELECT wanted.partner_id AS "partnerId", wanted.tenant_id AS "tenantId", granted.*
      FROM unnest($1::text[], $2::text[]) AS wanted (partner_id, tenant_id), LATERAL (
        SELECT ${grantSelection}
        WHERE grants.partner_id = wanted.partner_id AND grants.tenant_id = wanted.tenant_id OFFSET 0
      ) AS granted`,
    values: arraysOf(accounts, 'partnerId', 'tenantId'),
  }),

  /** Locks without an update, which would leave a dead row each time that all readers have to skip. */
  lockUserDays: (userDays) => ({
    name: 'lock-user-days',
    text: `
      SELECT counter.* FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (tenant_id, user_email, day), LATERAL (
        SELECT ${userDaySelection} FROM user_days
        WHERE user_days.tenant_id = wanted.tenant_id AND user_days.user_email = wanted.user_email
          AND user_days.day = wanted.day FOR UPDATE
      ) AS counter`,
    values: arraysOf(userDays, 'tenantId', 'userEmail', 'day'),
  }),

  /** Waits for whoever is inserting one of them. Those that exist are left alone: locking by an update leaves dead rows. */
  makeUserDays: (userDays) => ({
    name: 'make-user-days',
    text: `
      INSERT INTO user_days (tenant_id, user_email, day, points)
      SELECT wanted.*, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted
      ON CONFLICT (tenant_id, user_email, day) DO NOTHING`,
    values: arraysOf(userDays, 'tenantId', 'userEmail', 'day'),
  }),

  selectKnown: (orders) => ({
    name: 'select-known',
    text: `
      SELECT known.* FROM unnest($1::text[], $2::text[]) AS wanted (partner_id, order_id), LATERAL (
        SELECT ${knownSelection} FROM entries
        WHERE entries.partner_id = wanted.partner_id AND entries.order_id = wanted.order_id OFFSET 0
      ) AS known`,
    values: arraysOf(orders, 'partnerId', 'orderId'),
  }),

  insertEntries(entries) {
    const rows = entries.map(entryValues)
    return {
      name: 'insert-entries',
      text: `
        INSERT INTO entries (${entryColumns.join(', ')}) SELECT * FROM unnest(${entryArrays(entryColumns, 1)})`,
      values: entryColumns.map((_, column) => rows.map((row) => row[column])),
      affects: rows.length,
    }
  },

  updateAccounts: (accounts) => ({
    name: 'update-accounts',
    text: `
      INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
      SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[])
      ON CONFLICT (partner_id, tenant_id) DO UPDATE SET seq = excluded.seq, head_hash = excluded.head_hash,
        awarded_at = excluded.awarded_at, day = excluded.day, day_points = excluded.day_points`,
    values: arraysOf(accounts, 'partnerId', 'tenantId', 'seq', 'headHash', 'awardedAt', 'day', 'dayPoints'),
    affects: accounts.length,
  }),

  writeUserDays(userDays, asLocked) {
    const existing = new Set(asLocked.map(userDayKey))
    const { counted = [], missing = [] } = Object.groupBy(userDays, (counter) =>
      existing.has(userDayKey(counter)) ? 'counted' : 'missing',
    )
    return [
      ...(missing.length === 0 ? [] : [insertUserDays(missing)]),
      ...(counted.length === 0 ? [] : [updateUserDays(counted)]),
    ]
  },
}

const insertUserDays = (userDays: UserDay[]): Statement => ({
  name: 'insert-user-days',
  text: `
    INSERT INTO user_days (tenant_id, user_email, day, points)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])`,
  values: arraysOf(userDays, 'tenantId', 'userEmail', 'day', 'points'),
  affects: userDays.length,
})

const updateUserDays = (userDays: UserDay[]): Statement => ({
  name: 'update-user-days',
  text: `
    INSERT INTO user_days (tenant_id, user_email, day, points)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
    ON CONFLICT (tenant_id, user_email, day) DO UPDATE SET points = excluded.points`,
  values: arraysOf(userDays, 'tenantId', 'userEmail', 'day', 'points'),
  affects: userDays.length,
})

const userDaySelection = columns<UserDay>('tenantId', 'userEmail', 'day', 'points')
