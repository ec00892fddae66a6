import { type UserDay, userDayKey } from '../../../rules/decide-batch.ts'
import { entryColumns, entryValues } from '../../entry-row.ts'
import {
  accountSelection,
  arraysOf,
  type BatchStatements,
  entryArrays,
  knownSelection,
} from '../batch-statements.ts'
import { manyAccounts } from '../many-accounts.ts'
import type { Statement } from '../pipeline.ts'
import { keepInPlace } from './keep-in-place.ts'
import {
  insertEntriesOf,
  lockAccount,
  lockDayOf,
  selectGrant,
  selectKnownOf,
  updateAccount,
  userDaySelection,
  writeDayOf,
} from './one-account.ts'

/**
 * A batch of accounts that are on one shard, for Citus. Each statement names the partners, or the tenants, of its rows
 * beside the rows themselves. If all of them are on one shard, Citus sends the statement there as it is. If they are
 * not, it refuses the first lock, and nothing has happened.
 *
 * That list is for Citus alone. The worker must not use it to find rows: without statistics it would expect few of them,
 * and read all users of a tenant, or all entries of a partner. So the list is under another collation, which compares
 * alike but has no index, and each row is found by its whole key.
 *
 * Users' counters are on other shards than the accounts: there is a statement for each of those shards, and all
 * nodes lock them in the same order.
 */
export function oneShard(shardOfTenant: (tenantId: string) => string): BatchStatements {
  /** One statement for the rows of each shard. */
  function onEachShard<Row extends { tenantId: string }>(
    rows: Row[],
    statement: (rows: Row[], tenants: string[]) => Statement | Statement[],
  ): Statement[] {
    const byShard = Map.groupBy(rows, ({ tenantId }) => shardOfTenant(tenantId))
    return [...byShard.keys()].sort().flatMap((shard) => {
      const onShard = byShard.get(shard)!
      return statement(onShard, distinct(onShard.map(({ tenantId }) => tenantId)))
    })
  }

  return {
    keepInPlace,

    lockAccounts(accounts) {
      if (accounts.length === 1) return lockAccount(accounts[0]!)
      return {
        name: 'lock-accounts-of-shard',
        text: `
        SELECT account.* FROM unnest($2::text[], $3::text[]) AS wanted (partner_id, tenant_id), LATERAL (
          SELECT ${accountSelection} FROM accounts
          WHERE ${isOneOf('accounts.partner_id')}
            AND accounts.partner_id = wanted.partner_id AND accounts.tenant_id = wanted.tenant_id FOR UPDATE
        ) AS account`,
        values: [partnersOf(accounts), ...arraysOf(accounts, 'partnerId', 'tenantId')],
      }
    },

    selectGrants: (accounts) =>
      accounts.length === 1 ? selectGrant(accounts[0]!) : manyAccounts.selectGrants(accounts),

    lockUserDays: (userDays) =>
      onEachShard(userDays, (rows, tenants) => {
        if (tenants.length === 1 && isOneDay(rows)) return lockDayOf(tenants[0]!, rows)
        return {
          name: 'lock-user-days-of-shard',
          text: `
          SELECT counter.* FROM unnest($2::text[], $3::text[], $4::bigint[]) AS wanted (tenant_id, user_email, day), LATERAL (
            SELECT ${userDaySelection} FROM user_days
            WHERE ${isOneOf('user_days.tenant_id')} AND user_days.tenant_id = wanted.tenant_id
              AND user_days.user_email = wanted.user_email AND user_days.day = wanted.day FOR UPDATE
          ) AS counter`,
          values: [tenants, ...arraysOf(rows, 'tenantId', 'userEmail', 'day')],
        }
      }),

    makeUserDays: (userDays) =>
      onEachShard(userDays, (rows) => {
        const insert = insertInto(rows.map((row) => ({ ...row, points: 0 })))
        return { ...insert, text: `${insert.text} ON CONFLICT (tenant_id, user_email, day) DO NOTHING` }
      }),

    selectKnown(orders) {
      const partners = partnersOf(orders)
      if (partners.length === 1) return selectKnownOf(partners[0]!, orders)
      return {
        name: 'select-known-of-shard',
        text: `
        SELECT known.* FROM unnest($2::text[], $3::text[]) AS wanted (partner_id, order_id), LATERAL (
          SELECT ${knownSelection} FROM entries
          WHERE ${isOneOf('entries.partner_id')}
            AND entries.partner_id = wanted.partner_id AND entries.order_id = wanted.order_id OFFSET 0
        ) AS known`,
        values: [partners, ...arraysOf(orders, 'partnerId', 'orderId')],
      }
    },

    /**
     * From a join with the accounts, which are on the same shard as their entries: Citus sends such an INSERT … SELECT
     * there as a whole. Without a table to read from, it would collect the rows on the coordinator first.
     */
    insertEntries(entries) {
      if (isOneAccount(entries)) return insertEntriesOf(entries)
      const rows = entries.map(entryValues)
      return {
        name: 'insert-entries-of-shard',
        text: `
          INSERT INTO entries (${entryColumns.join(', ')})
          SELECT accounts.partner_id, ${entryColumns.slice(1).map((column) => `fresh.${column}`)}
          FROM unnest(${entryArrays(entryColumns, 2)}) AS fresh (${entryColumns.join(', ')})
          JOIN accounts ON accounts.partner_id = fresh.partner_id AND accounts.tenant_id = fresh.tenant_id
          WHERE ${isOneOf('accounts.partner_id')}`,
        values: [partnersOf(entries), ...entryColumns.map((_, column) => rows.map((row) => row[column]))],
        affects: entries.length,
      }
    },

    updateAccounts(accounts) {
      if (accounts.length === 1) return updateAccount(accounts[0]!)
      return {
        name: 'update-accounts-of-shard',
        text: `
        UPDATE accounts SET seq = fresh.seq, head_hash = fresh.head_hash, awarded_at = fresh.awarded_at,
          day = fresh.day, day_points = fresh.day_points
        FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[])
          AS fresh (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
        WHERE ${isOneOf('accounts.partner_id')} AND accounts.partner_id = fresh.partner_id AND accounts.tenant_id = fresh.tenant_id`,
        values: [
          partnersOf(accounts),
          ...arraysOf(accounts, 'partnerId', 'tenantId', 'seq', 'headHash', 'awardedAt', 'day', 'dayPoints'),
        ],
        affects: accounts.length,
      }
    },

    /**
     * A shard that has moved since has left our locks behind. A counter that another batch has changed there gets -1
     * points, which the table refuses: nothing is written, and the batch is decided again.
     */
    writeUserDays(userDays, asLocked) {
      const before = new Map(asLocked.map((row) => [userDayKey(row), row.points]))
      const changes = userDays.map((row) => ({ ...row, before: before.get(userDayKey(row)) ?? null }))
      return onEachShard(changes, (rows, tenants) => {
        const counted = rows.filter(isCounted)
        const missing = rows.filter((row) => !isCounted(row))
        if (missing.length === 0) return updateCounted(counted, tenants)
        if (counted.length === 0) return insertInto(missing)
        if (tenants.length === 1 && isOneDay(rows)) return writeDayOf(rows, counted[0]!)
        return [insertInto(missing), updateCounted(counted, tenants)]
      })
    },
  }
}

/** For Citus: which shard the rows are on. */
function isOneOf(column: string): string {
  return `${column} = ANY($1::text[] COLLATE "POSIX")`
}

function isCounted<Row extends { before: number | null }>(row: Row): row is Row & { before: number } {
  return row.before !== null
}

function updateCounted(rows: (UserDay & { before: number })[], tenants: string[]): Statement {
  return {
    name: 'update-user-days-of-shard',
    text: `
      UPDATE user_days SET points = CASE WHEN user_days.points = fresh.before THEN fresh.points ELSE -1 END
      FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
        AS fresh (tenant_id, user_email, day, points, before)
      WHERE ${isOneOf('user_days.tenant_id')} AND user_days.tenant_id = fresh.tenant_id
        AND user_days.user_email = fresh.user_email AND user_days.day = fresh.day`,
    values: [tenants, ...arraysOf(rows, 'tenantId', 'userEmail', 'day', 'points', 'before')],
    affects: rows.length,
  }
}

/** Not prepared, because its text depends on the number of rows. There is no table to join the new rows with. */
function insertInto(rows: UserDay[]): Statement {
  const places = rows.map((_, row) => `($${row * 4 + 1}, $${row * 4 + 2}, $${row * 4 + 3}, $${row * 4 + 4})`)
  return {
    text: `INSERT INTO user_days (tenant_id, user_email, day, points) VALUES ${places.join(', ')}`,
    values: rows.flatMap(({ tenantId, userEmail, day, points }) => [tenantId, userEmail, day, points]),
    affects: rows.length,
  }
}

function partnersOf(rows: { partnerId: string }[]): string[] {
  return distinct(rows.map(({ partnerId }) => partnerId))
}

function isOneAccount(rows: { partnerId: string; tenantId: string }[]): boolean {
  const [first] = rows
  return rows.every(
    ({ partnerId, tenantId }) => partnerId === first!.partnerId && tenantId === first!.tenantId,
  )
}

function isOneDay(rows: { day: number }[]): boolean {
  return rows.every(({ day }) => day === rows[0]!.day)
}

function distinct(values: string[]): string[] {
  return [...new Set(values)]
}
