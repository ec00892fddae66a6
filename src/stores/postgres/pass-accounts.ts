import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../clock.ts'
import type { AccountId } from '../../rules/cursor.ts'
import { accountKey } from '../../rules/decide-batch.ts'
import { emptyAccount } from '../../rules/entry.ts'
import { inLockOrder, makeAccount } from './batch-facts.ts'
import type { BatchKind } from './batch-kind.ts'
import { chooseBatches } from './choose-batches.ts'
import { isWorkerAway } from './citus/lost-worker.ts'
import { arraysOf } from './batch-statements.ts'
import { type Client, isConnectionLost, type Pool, withClient } from './database.ts'
import { allOf, pipelined, type Statement } from './pipeline.ts'

/** The limit for all accounts. Longer than a node that hangs in the middle of an award can hold its locks. */
export const accountsWaitMaxMs = 60_000
/** The limit for one account, before the next one is tried. Shorter than the timeout of a server's connection. */
const accountWaitMaxMs = 5_000
/** The limit for many accounts at once, which are locked together for that long. */
const togetherWaitMaxMs = 100
const togetherMax = 500

type PassOptions = { waitMaxMs?: number; onProgress?(done: number): void }

/**
 * Takes the lock of each account once and releases it. An award's transaction locks its account, then reads what
 * operators have set, and holds the lock to its end. So when a lock is granted after a change was committed, every award
 * of that account that was decided by the old settings has ended. Returns the accounts that were not passed in time.
 *
 * Accounts that are not locked are passed many at a time. For the others we wait one by one, so that we never hold the
 * lock of one account while we wait for another.
 */
export async function passAccounts(
  pool: Pool,
  accounts: AccountId[],
  { waitMaxMs = accountsWaitMaxMs, onProgress = () => {} }: PassOptions = {},
): Promise<AccountId[]> {
  const giveUpAt = systemClock.elapsed() + waitMaxMs
  const leftMs = () => Math.ceil(giveUpAt - systemClock.elapsed())
  const batches = await withClient(pool, (client) => chooseBatches(client))
  const sorted = inLockOrder(new Map(accounts.map((id) => [accountKey(id), id])))
  const show = (left: number) => onProgress(1 - left / sorted.length)

  const held: AccountId[] = []
  for (let start = 0; start < sorted.length; start += togetherMax) {
    const some = sorted.slice(start, start + togetherMax)
    held.push(...(await withClient(pool, (client) => passTogether(client, batches, some))))
    show(held.length + Math.max(0, sorted.length - start - togetherMax))
  }
  // An account that is not passed in time goes to the end of the queue.
  while (held.length > 0 && leftMs() > 0) {
    const account = held.shift()!
    const passed = await withClient(pool, (client) =>
      passOne(client, batches, account, Math.min(leftMs(), accountWaitMaxMs)),
    )
    if (!passed) held.push(account)
    show(held.length)
  }
  return held
}

/** Returns the accounts that are locked at this moment. On Citus all of them, because they are on several shards. */
async function passTogether(
  client: Client,
  { distributed, begin }: BatchKind,
  accounts: AccountId[],
): Promise<AccountId[]> {
  if (distributed) return accounts
  const lock = [makeAccounts(accounts), lockFreeAccounts(accounts)]
  const rows = await attempt(client, [...begin(togetherWaitMaxMs), ...lock])
  const passed = new Set(rows?.map(accountKey))
  return accounts.filter((account) => !passed.has(accountKey(account)))
}

async function passOne(
  client: Client,
  { statements, begin }: BatchKind,
  account: AccountId,
  waitMs: number,
): Promise<boolean> {
  const lock = [makeAccount(account), statements.lockAccounts([account])]
  return (await attempt(client, [...begin(waitMs), ...lock])) !== null
}

/**
 * The rows of the last statement; null if a lock was not granted. The rollback also removes rows that were created only
 * to be locked: for an account without a row, the first award may be in flight.
 */
async function attempt(client: Client, statements: Statement[]): Promise<AccountId[] | null> {
  const settled = await pipelined(client, [...statements, { text: 'ROLLBACK' }])
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed === undefined) return allOf(settled).at(-2)!.rows
  if (isConnectionLost(failed.reason)) throw failed.reason
  if (lockNotGranted.test(failed.reason.code)) return null
  if (!isWorkerAway(failed.reason)) throw failed.reason
  await sleep(workerAwayMs)
  return null
}

/** The pause before an unreachable worker of a Citus cluster is tried again. Until then its accounts cannot be passed. */
const workerAwayMs = 200

/** A lock timeout, a deadlock or another conflict: the next attempt may succeed. */
const lockNotGranted = /^(55P03|40)/

function makeAccounts(accounts: AccountId[]): Statement {
  const { seq, headHash, awardedAt, day, dayPoints } = emptyAccount
  return {
    text: `
      INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
      SELECT wanted.*, $3::bigint, $4::bytea, $5::bigint, $6::bigint, $7::bigint
      FROM unnest($1::text[], $2::text[]) AS wanted (partner_id, tenant_id)
      ON CONFLICT (partner_id, tenant_id) DO NOTHING`,
    values: [...arraysOf(accounts, 'partnerId', 'tenantId'), seq, headHash, awardedAt, day, dayPoints],
  }
}

function lockFreeAccounts(accounts: AccountId[]): Statement {
  return {
    text: `
      SELECT account.* FROM unnest($1::text[], $2::text[]) AS wanted (partner_id, tenant_id), LATERAL (
        SELECT partner_id AS "partnerId", tenant_id AS "tenantId" FROM accounts
        WHERE accounts.partner_id = wanted.partner_id AND accounts.tenant_id = wanted.tenant_id
        FOR UPDATE SKIP LOCKED
      ) AS account`,
    values: arraysOf(accounts, 'partnerId', 'tenantId'),
  }
}
