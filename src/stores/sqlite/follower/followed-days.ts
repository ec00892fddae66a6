import type { AccountDay, AccountFilter, Period } from '../../../answers/ledger-queries.ts'
import type { AccountId } from '../../../rules/cursor.ts'
import { prepareRowArrays } from '../../../shortcuts/row-arrays.ts'
import type { Database } from '../database.ts'
import { prepareNumbered } from '../numbered-parameters.ts'
import { accountDayOf, accountDaySelection } from './account-day-rows.ts'

/** What the read model knows of some accounts, each named by `accountName`. */
export type FollowedDays = {
  /** The days of the period, in their order. */
  days: Map<string, AccountDay[]>
  /** The last entry of the account that it has counted. */
  upTo: Map<string, number>
}

export const noFollowedDays: FollowedDays = { days: new Map(), upTo: new Map() }

/** Ids have no spaces. */
export function accountName({ partnerId, tenantId }: AccountId): string {
  return `${partnerId} ${tenantId}`
}

/** In a transaction of the caller. */
export function readFollowedDays(operator: Database, filter: AccountFilter & Period): FollowedDays {
  const { partnerId = null, tenantId = null, from, to } = filter
  const days = prepareRowArrays(prepareNumbered(operator, daysOfPeriod), accountDayOf)
  const lasts = prepareNumbered(operator, lastEntries).all(partnerId, tenantId)
  return {
    days: Map.groupBy(days(partnerId, tenantId, from, to), accountName),
    upTo: new Map(lasts.map((row) => [accountName(row as AccountId), row.lastSeq as number])),
  }
}

const ofAccounts = 'partner_id = coalesce($1, partner_id) AND tenant_id = coalesce($2, tenant_id)'
const daysOfPeriod = `
  SELECT ${accountDaySelection} FROM account_days
  WHERE ${ofAccounts} AND day BETWEEN $3 AND $4 ORDER BY partner_id, tenant_id, day`
const lastEntries = `
  SELECT partner_id AS "partnerId", tenant_id AS "tenantId", max(last_seq) AS "lastSeq"
  FROM account_days WHERE ${ofAccounts} GROUP BY partner_id, tenant_id`
