import type { AccountId } from '../../rules/cursor.ts'
import {
  accountKey,
  type BatchFacts,
  nextAwardedAt,
  orderKey,
  type UserDay,
  userDayKey,
} from '../../rules/decide-batch.ts'
import { type AwardCommand, emptyAccount } from '../../rules/entry.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { grantOf } from '../grant-row.ts'
import type { AccountRow, BatchStatements, GrantOfAccount, KnownOrder } from './batch-statements.ts'
import type { Client } from './database.ts'
import { allOf, pipelined, type Statement } from './pipeline.ts'

/** How batches are done on this database, and when this one is. */
export type BatchMeans = {
  begin: Statement[]
  /** The transaction has begun already. */
  hasBegun: boolean
  statements: BatchStatements
  now: number
}

/** What was locked for a batch. A row that was made only to be locked has no entry, or no points, yet. */
export type LockedRows = { accounts: AccountRow[]; userDays: UserDay[] }

const guessesMax = 5

/**
 * BEGIN, then lock and load everything that a batch may look at, in one round trip. The accounts' rows are locked
 * first: they order the batches of all nodes, and a transaction that holds a row lock waits for the synchronous standby
 * when it commits, so a DUPLICATE it answers is as durable as the original.
 *
 * It guesses that the accounts are there and that their next awards are of today. For an account's very first award
 * the row has to be made, and while our clock is behind an account's last award the users' counters are those of that
 * award's day. A wrong guess is made good from the start, so that all nodes always lock in one order: accounts, then
 * counters, each sorted.
 */
export async function loadFacts(
  client: Client,
  commands: AwardCommand[],
  means: BatchMeans,
): Promise<{ facts: BatchFacts; locked: LockedRows }> {
  const wanted = sortedBy(accountKey, commands)
  const missing = new Map<string, AccountId>()
  const days = new Map<string, number>()
  const guess = (at: AccountId) => days.get(accountKey(at)) ?? vietnamDay(means.now)

  for (let guesses = 1; guesses <= guessesMax; guesses++) {
    const first = [
      ...(guesses > 1 ? [rollback, ...means.begin] : means.hasBegun ? [] : means.begin),
      ...[...missing.values()].map(makeAccount),
    ]
    const userDays = sortedBy(
      userDayKey,
      commands.map((command) => ({ ...command, day: guess(command) })),
    )
    const { lockAccounts, selectGrants, lockUserDays, selectKnown } = means.statements
    const statements = [
      ...first,
      lockAccounts(wanted),
      selectGrants(wanted),
      ...lockUserDays(userDays),
      selectKnown(commands),
    ]
    const results = allOf(await pipelined(client, statements)).slice(first.length)
    const rows = results.map((result) => result.rows)
    const [accounts, grants, counters, known] = [...rows.slice(0, 2), ...rows.slice(-2)] as Loaded
    const found = new Map(accounts.map((account) => [accountKey(account), account]))

    let guessedRight = true
    for (const account of wanted) {
      const key = accountKey(account)
      const day = vietnamDay(nextAwardedAt(found.get(key) ?? emptyAccount, means.now))
      if (!found.has(key)) missing.set(key, account)
      else if (day === guess(account)) continue
      else days.set(key, day)
      guessedRight = false
    }
    if (!guessedRight) continue
    const facts = {
      grants: new Map(grants.map((grant) => [accountKey(grant), grantOf(grant)])),
      accounts: found,
      known: new Map(known.map((award) => [orderKey(award), award])),
      userDays: new Map(counters.map((counter) => [userDayKey(counter), counter.points])),
    }
    return { facts, locked: { accounts, userDays: counters } }
  }
  throw new Error('an account that was made is not there')
}

type Loaded = [AccountRow[], GrantOfAccount[], UserDay[], KnownOrder[]]

/** Each key once, in the order in which all nodes lock. */
export function sortedBy<T>(keyOf: (item: T) => string, items: T[]): T[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  return [...byKey.keys()].sort().map((key) => byKey.get(key)!)
}

const rollback = { text: 'ROLLBACK' }

/** If another node has just made it, this waits for that node's commit and then does nothing. */
export function makeAccount({ partnerId, tenantId }: AccountId): Statement {
  const { seq, headHash, awardedAt, day, dayPoints } = emptyAccount
  return {
    text: `
      INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (partner_id, tenant_id) DO NOTHING`,
    values: [partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints],
  }
}
