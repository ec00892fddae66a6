import type { Caps } from '../../rules/caps.ts'
import { accountKey, type BatchFacts, nextAwardedAt, orderKey, userDayKey } from '../../rules/decide-batch.ts'
import { type Account, type AwardCommand, emptyAccount } from '../../rules/entry.ts'
import type { KnownAward } from '../../rules/replay.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { columns } from '../columns.ts'
import { type GrantRow, grantOf, grantSelection } from '../grant-row.ts'
import type { Client } from './database.ts'
import { allOf, pipelined, type Statement } from './pipeline.ts'

/** The facts, and what was locked for them. */
export type LoadedBatch = {
  facts: BatchFacts
  partnerId: string
  tenantId: string
  day: number
  users: string[]
}

/**
 * BEGIN, then lock and load everything that a batch of one account may look at, in one round trip. The account's row
 * is locked first: it orders the batches of all nodes, and a transaction that holds a row lock waits for the
 * synchronous standby when it commits, so a DUPLICATE it answers is as durable as the original.
 *
 * Twice in an account's life one trip is not enough: for its very first award the row has to be made, and while our
 * clock is behind the account's last award the users' counters are those of that award's day.
 */
export async function loadFacts(
  client: Client,
  commands: AwardCommand[],
  { begin, defaultCaps, now }: { begin: Statement[]; defaultCaps: Caps; now: number },
): Promise<LoadedBatch> {
  const [{ partnerId, tenantId }] = commands as [AwardCommand]
  const users = [...new Set(commands.map(({ userEmail }) => userEmail))].sort()
  const orders = commands.map(({ orderId }) => orderId)
  async function load(first: Statement[], day: number): Promise<Loaded> {
    const statements = [
      ...first,
      lockAccount(partnerId, tenantId),
      selectGrant(partnerId, tenantId),
      lockUserDays(tenantId, users, day),
      selectKnown(partnerId, orders),
    ]
    const [account, grant, userDays, known] = allOf(await pipelined(client, statements)).slice(first.length)
    return { account: account!.rows[0], grant: grant!.rows[0], userDays: userDays!.rows, known: known!.rows }
  }

  const today = vietnamDay(now)
  let loaded = await load(begin, today)
  // From the start again, so that the account's row is still the first lock: users first could end in a deadlock.
  if (loaded.account === undefined)
    loaded = await load([rollback, ...begin, makeAccount(partnerId, tenantId)], today)
  const account = loaded.account!
  const day = vietnamDay(nextAwardedAt(account, now))
  if (day !== today) loaded = await load([dropUnusedUserDays(tenantId, users, today)], day)

  const accountAt = accountKey({ partnerId, tenantId })
  const facts = {
    grants: new Map([[accountAt, grantOf(loaded.grant, defaultCaps)]]),
    accounts: new Map([[accountAt, account]]),
    known: new Map(loaded.known.map((award) => [orderKey({ partnerId, orderId: award.orderId }), award])),
    userDays: new Map(
      loaded.userDays.map(({ userEmail, points }) => [userDayKey({ tenantId, userEmail, day }), points]),
    ),
  }
  return { facts, partnerId, tenantId, day, users }
}

const rollback = { text: 'ROLLBACK' }

type Loaded = {
  account: Account | undefined
  grant: GrantRow | undefined
  userDays: { userEmail: string; points: number }[]
  known: (KnownAward & { orderId: string })[]
}

function lockAccount(partnerId: string, tenantId: string): Statement {
  return {
    name: 'lock-account',
    text: `
      SELECT ${columns<Account>('seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
      FROM accounts WHERE partner_id = $1 AND tenant_id = $2 FOR UPDATE`,
    values: [partnerId, tenantId],
  }
}

/** If another node has just made it, this waits for that node's commit and then does nothing. */
function makeAccount(partnerId: string, tenantId: string): Statement {
  const { seq, headHash, awardedAt, day, dayPoints } = emptyAccount
  return {
    text: `
      INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (partner_id, tenant_id) DO NOTHING`,
    values: [partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints],
  }
}

function selectGrant(partnerId: string, tenantId: string): Statement {
  return {
    name: 'select-grant',
    text: `SELECT ${grantSelection} WHERE grants.partner_id = $1 AND grants.tenant_id = $2`,
    values: [partnerId, tenantId],
  }
}

/** A counter that does not exist yet is made, so that it can be locked. Sorted: all nodes lock in one order. */
function lockUserDays(tenantId: string, sortedUsers: string[], day: number): Statement {
  return {
    name: 'lock-user-days',
    text: `
      INSERT INTO user_days (tenant_id, user_email, day, points)
      SELECT $1, users.email, $3, 0 FROM unnest($2::text[]) AS users (email)
      ON CONFLICT (tenant_id, user_email, day) DO UPDATE SET points = user_days.points
      RETURNING user_email AS "userEmail", points`,
    values: [tenantId, sortedUsers, day],
  }
}

/** Takes away counters that were made only to be locked. */
export function dropUnusedUserDays(tenantId: string, users: string[], day: number): Statement {
  return {
    name: 'drop-unused-user-days',
    text: `
      DELETE FROM user_days WHERE tenant_id = $1 AND user_email = ANY($2::text[]) AND day = $3 AND points = 0`,
    values: [tenantId, users, day],
  }
}

function selectKnown(partnerId: string, orders: string[]): Statement {
  const fields = columns<KnownAward>(
    'epTransactionId',
    'tenantId',
    'userEmail',
    'rawAmount',
    'points',
    'note',
    'meta',
    'awardedAt',
  )
  return {
    name: 'select-known',
    text: `
      SELECT order_id AS "orderId", ${fields} FROM entries WHERE partner_id = $1 AND order_id = ANY($2::text[])`,
    values: [partnerId, orders],
  }
}
