import type { AccountId } from '../../rules/cursor.ts'
import {
  type AccountFacts,
  accountKey,
  type BatchFacts,
  orderKey,
  type UserDay,
  userDayKey,
} from '../../rules/decide-batch.ts'
import { type AwardCommand, emptyAccount } from '../../rules/entry.ts'
import { awardDay, factsNeeded } from '../../rules/facts-needed.ts'
import { grantOf } from '../grant-row.ts'
import type { AccountRow, BatchStatements, GrantOfAccount, KnownOrder } from './batch-statements.ts'
import type { Client, Result } from './database.ts'
import { allOf, pipelined, type Statement } from './pipeline.ts'

/** How to run a batch on this database, and the time of this batch. */
export type BatchSetup = {
  begin: Statement[]
  /** The transaction has begun already. */
  hasBegun: boolean
  /** Users' counters that do not exist are inserted, and thereby locked, before the batch is decided. */
  makesUserDays: boolean
  /** Orders are taken to be new, and not looked for. */
  expectsNewOrders: boolean
  statements: BatchStatements
  now: number
}

/** What was locked for a batch. A row that was made only to be locked has no entry, or no points, yet. */
export type LockedRows = { accounts: AccountRow[]; userDays: UserDay[] }

const guessesMax = 5

/**
 * BEGIN, then lock and load everything that a batch may look at, usually in one round trip. The accounts' rows are locked
 * first: they order the batches of all nodes, and a transaction that holds a row lock waits for the synchronous standby
 * when it commits, so a DUPLICATE of it is as durable as the original.
 *
 * It guesses that the accounts are there and that their next awards are of today. For an account's very first award
 * the row has to be made, and while our clock is behind an account's last award the users' counters are those of that
 * award's day. After a wrong guess it starts over, so that all nodes always lock in one order: accounts, then counters,
 * each sorted.
 */
export async function loadFacts(
  client: Client,
  commands: AwardCommand[],
  setup: BatchSetup,
): Promise<{ facts: BatchFacts; locked: LockedRows }> {
  const needed = factsNeeded(commands)
  const wanted = inLockOrder(needed.accounts)
  const orders = [...needed.orders.values()]
  const missing = new Map<string, AccountId>()
  const guessed = new Map(wanted.map((id) => [accountKey(id), { account: emptyAccount }]))

  for (let guesses = 1; guesses <= guessesMax; guesses++) {
    const { keepInPlace, lockAccounts, selectGrants, lockUserDays, makeUserDays, selectKnown } =
      setup.statements
    const first = [
      ...(guesses > 1 ? [rollback, ...setup.begin] : setup.hasBegun ? [] : setup.begin),
      ...keepInPlace(wanted),
      ...inLockOrder(missing).map(makeAccount),
    ]
    const userDays = needed.userDays(guessed, setup.now)
    const counted = inLockOrder(userDays)
    const statements = [
      ...first,
      lockAccounts(wanted),
      selectGrants(wanted),
      setup.makesUserDays ? makeUserDays(counted) : [],
      lockUserDays(counted),
      setup.expectsNewOrders ? [] : selectKnown(orders),
    ].flat()
    const results = allOf(await pipelined(client, statements)).slice(first.length)
    const { accounts, grants, counters, known } = loadedFrom(
      results.map(({ rows }) => rows),
      setup,
    )
    const found = new Map(accounts.map((account) => [accountKey(account), account]))

    let guessedRight = true
    for (const [key, id] of needed.accounts) {
      const account = found.get(key)
      if (account === undefined) missing.set(key, id)
      else if (awardDay(account, setup.now) === awardDay(guessed.get(key)!.account, setup.now)) continue
      else guessed.set(key, { account })
      guessedRight = false
    }
    if (!guessedRight) continue
    const granted = new Map(grants.map((grant) => [accountKey(grant), grant]))
    const facts: BatchFacts = {
      accounts: new Map(
        accounts.map((account): [string, AccountFacts] => {
          const key = accountKey(account)
          return [key, { account, grant: grantOf(granted.get(key)) }]
        }),
      ),
      // What was looked for and is not there is a new order, or a user without points on that day.
      known: new Map<string, KnownOrder | null>(orders.map((order) => [orderKey(order), null])),
      userDays: new Map([...userDays.keys()].map((key) => [key, 0])),
    }
    for (const award of known) facts.known.set(orderKey(award), award)
    for (const counter of counters) facts.userDays.set(userDayKey(counter), counter.points)
    return { facts, locked: { accounts, userDays: counters } }
  }
  throw new Error('what was loaded changed five times, although the accounts were locked')
}

type Loaded = { accounts: AccountRow[]; grants: GrantOfAccount[]; counters: UserDay[]; known: KnownOrder[] }

/** The rows of each statement, in the order in which they were sent. */
function loadedFrom(rows: Result['rows'][], { expectsNewOrders }: BatchSetup): Loaded {
  const [accounts, grants, ...others] = rows as [AccountRow[], GrantOfAccount[], ...Result['rows'][]]
  const known = expectsNewOrders ? [] : others.pop()!
  return { accounts, grants, counters: others.flat(), known }
}

/** Adds the orders that are not new after all. */
export async function loadKnown(
  client: Client,
  commands: AwardCommand[],
  facts: BatchFacts,
  { selectKnown }: BatchStatements,
): Promise<void> {
  const orders = [...factsNeeded(commands).orders.values()]
  const [found] = allOf(await pipelined(client, [selectKnown(orders)]))
  for (const award of found!.rows as KnownOrder[]) facts.known.set(orderKey(award), award)
}

/** The order in which all nodes lock. */
export function inLockOrder<T>(byKey: Map<string, T>): T[] {
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
