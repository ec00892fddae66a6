import type { AccountId } from '../../rules/cursor.ts'
import {
  accountKey,
  type BatchDecision,
  orderKey,
  type UserDay,
  userDayKey,
} from '../../rules/decide-batch.ts'
import type { LockedRows } from './batch-facts.ts'
import type { BatchStatements } from './batch-statements.ts'
import type { Statement } from './pipeline.ts'

/** Everything a decided batch writes, ready to be sent together with COMMIT. */
export function writeStatements(
  { insertEntries, updateAccounts, writeUserDays }: BatchStatements,
  locked: LockedRows,
  { entries, accounts, userDays }: BatchDecision,
): Statement[] {
  if (entries.length === 0) return dropUnused(locked, { accounts, userDays })
  const heads = accounts.map(({ account, ...id }) => ({ ...id, ...account }))
  return [
    insertEntries(sorted(entries, orderKey)),
    writeUserDays(sorted(userDays, userDayKey), locked.userDays),
    updateAccounts(heads),
    dropUnused(locked, { accounts, userDays }),
  ].flat()
}

/** Where two batches race for several orders of a partner, or users of a tenant, they meet at the first and do not deadlock. */
function sorted<Row>(rows: Row[], keyOf: (row: Row) => string): Row[] {
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Takes away rows that were made only to be locked. */
function dropUnused(
  locked: LockedRows,
  { accounts, userDays }: Pick<BatchDecision, 'accounts' | 'userDays'>,
): Statement[] {
  const credited = new Set(accounts.map(accountKey))
  const counted = new Set(userDays.map(userDayKey))
  const emptyAccounts = locked.accounts.filter((row) => row.seq === 0 && !credited.has(accountKey(row)))
  const emptyDays = locked.userDays.filter((row) => row.points === 0 && !counted.has(userDayKey(row)))
  const tenantDays = Map.groupBy(emptyDays, ({ tenantId, day }) => `${tenantId} ${day}`)
  return [...emptyAccounts.map(dropAccount), ...[...tenantDays.values()].map(dropUserDays)]
}

function dropAccount({ partnerId, tenantId }: AccountId): Statement {
  return {
    text: 'DELETE FROM accounts WHERE partner_id = $1 AND tenant_id = $2 AND seq = 0',
    values: [partnerId, tenantId],
  }
}

/** Of one tenant and day. */
function dropUserDays(userDays: UserDay[]): Statement {
  return {
    name: 'drop-user-days',
    text: `
      DELETE FROM user_days WHERE tenant_id = $1 AND user_email = ANY($2::text[]) AND day = $3 AND points = 0`,
    values: [userDays[0]!.tenantId, userDays.map(({ userEmail }) => userEmail), userDays[0]!.day],
  }
}
