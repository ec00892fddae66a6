import type { AccountId } from '../../rules/cursor.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Entry } from '../../rules/entry.ts'
import type { OrderId, UserDayId } from '../../rules/facts-needed.ts'
import type { KnownAward } from '../../rules/replay.ts'
import { columns } from '../columns.ts'
import type { GrantRow } from '../grant-row.ts'
import type { AccountRow } from '../snapshot-queries.ts'
import type { Statement } from './pipeline.ts'

/**
 * What a batch sends: one statement for each thing it does, whatever its size; of users' counters, on Citus, one for
 * each of their shards. Wherever rows are locked, those given here come sorted, and are locked in that order: nodes
 * that want the same ones queue up at the first of them.
 */
export type BatchStatements = {
  /** Before any row is locked. */
  keepInPlace(accounts: AccountId[]): Statement[]
  lockAccounts(sorted: AccountId[]): Statement
  selectGrants(accounts: AccountId[]): Statement
  /** Those that exist. */
  lockUserDays(sorted: UserDayId[]): Statement | Statement[]
  /** Before it: those that do not exist are inserted, without points. It returns no rows. */
  makeUserDays(sorted: UserDayId[]): Statement | Statement[]
  selectKnown(orders: OrderId[]): Statement
  insertEntries(sorted: Entry[]): Statement
  /** Accounts that exist, and are locked. */
  updateAccounts(accounts: AccountRow[]): Statement
  /** Those in `asLocked` exist, and are locked. Fails if another batch has inserted one of the others since. */
  writeUserDays(sorted: UserDay[], asLocked: UserDay[]): Statement[]
}

/** The rows that come back. */
export type { AccountRow }
export type GrantOfAccount = AccountId & GrantRow
export type KnownOrder = OrderId & KnownAward

export const accountSelection = columns<AccountRow>(
  'partnerId',
  'tenantId',
  'seq',
  'headHash',
  'awardedAt',
  'day',
  'dayPoints',
)

export const knownSelection = columns<KnownOrder>(
  'partnerId',
  'orderId',
  'epTransactionId',
  'tenantId',
  'userEmail',
  'rawAmount',
  'points',
  'note',
  'meta',
  'awardedAt',
)

/** The types of the columns of an entry that are not integers. */
const entryTypes: Record<string, string> = {
  partner_id: 'text',
  tenant_id: 'text',
  ep_transaction_id: 'uuid',
  order_id: 'text',
  user_email: 'text',
  note: 'text',
  meta: 'text',
  salt: 'bytea',
  commitment: 'bytea',
  hash: 'bytea',
}

/** A parameter for each of the columns, numbered from `first`: an array with the values of all rows. */
export function entryArrays(columns: string[], first: number): string {
  return columns.map((column, index) => `$${first + index}::${entryTypes[column] ?? 'bigint'}[]`).join(', ')
}

/** For unnest: of each field an array with the values of all rows. */
export function arraysOf<Row>(rows: Row[], ...fields: (keyof Row)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]))
}
