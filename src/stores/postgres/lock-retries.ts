import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../clock.ts'
import { type Client, type Pool, sqlStateOf, withClient } from './database.ts'

/** `waitMs`: for one lock; `totalMs`: for all attempts, no new one begins later. */
type LockLimits = { waitMs: number; pauseMs: number; totalMs: number }

/**
 * An award waits for about 4 s before it gets 503. The wait is longer than the second after which PostgreSQL ends a
 * deadlock, and the autovacuum that somebody waits for.
 */
const usualLimits: LockLimits = { waitMs: 2_000, pauseMs: 3_000, totalMs: 60_000 }

/** How a change of tables waits for them, and who hears about it. */
export type LockPatience = { say(message: string): void; limits?: LockLimits }

/** A lock timeout, or a deadlock that was ended. */
const lockNotGranted = /^(55P03|40P01)$/

/**
 * A change of tables needs each for itself. Somebody who holds one, such as a forgotten session that has read it, keeps it
 * waiting, and whoever needs the table next waits behind it: the awards, too. So each attempt waits briefly and gives
 * all its locks back, then the others go on for a while. `work` begins with `limitWait`, and changes all or nothing.
 */
export async function retryingLocks<T>(
  pool: Pool,
  { say, limits = usualLimits }: LockPatience,
  work: (limitWait: (client: Client) => Promise<void>) => Promise<T>,
): Promise<T> {
  const giveUpAt = systemClock.elapsed() + limits.totalMs
  for (;;) {
    let holders: string[] = []
    const ended = new AbortController()
    let watching: Promise<void> | undefined
    try {
      return await work(async (client) => {
        watching ??= watch(pool, await limitWait(client, limits.waitMs), {
          everyMs: limits.waitMs / 4,
          signal: ended.signal,
          onHolders(found) {
            holders = found
          },
        })
      })
    } catch (error) {
      if (!lockNotGranted.test(sqlStateOf(error) ?? '')) throw error
      const held = `a table is in use${holders.length === 0 ? '' : `, by ${holders.join(' and ')}`}`
      if (systemClock.elapsed() >= giveUpAt)
        throw new Error(
          `nothing was changed: ${held}. End that transaction (SELECT pg_terminate_backend(…) with its number), and run the command again`,
          { cause: error },
        )
      say(`${held}. Awards go on, and the next attempt is made in ${limits.pauseMs / 1_000} s`)
    } finally {
      ended.abort()
      await watching
    }
    await sleep(limits.pauseMs)
  }
}

/** Workers of Citus, which have locks of their own, get the limit as well; elsewhere nobody reads the first setting. */
async function limitWait(client: Client, waitMs: number): Promise<number> {
  await client.query("SET LOCAL citus.propagate_set_commands = 'local'")
  await client.query(`SET LOCAL lock_timeout = ${waitMs}`)
  await client.query("SET LOCAL citus.propagate_set_commands = 'none'")
  return (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
}

type Watch = { everyMs: number; signal: AbortSignal; onHolders(holders: string[]): void }

/** On another connection: when the wait is over, PostgreSQL no longer knows what it was for. */
async function watch(pool: Pool, pid: number, { everyMs, signal, onHolders }: Watch): Promise<void> {
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const found = await withClient(pool, (client) => readHolders(client, pid)).catch(() => [])
    if (found.length > 0) onHolders(found)
  }
}

async function readHolders(client: Client, pid: number): Promise<string[]> {
  const { rows } = await client.query('SELECT pg_blocking_pids($1::int) AS pids', [pid])
  return sessionsWith(client, rows[0].pids)
}

/** Of sessions of other roles, a role may see no more than who they are. */
export async function sessionsWith(client: Client, pids: number[]): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT pid, usename, application_name AS program, backend_type AS kind, state,
       to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
     FROM pg_stat_activity WHERE pid = ANY ($1::int[]) ORDER BY xact_start`,
    [pids],
  )
  return rows.map((row) => {
    const known = [row.usename, row.program || row.kind, row.state].filter((text) => text !== null)
    const since = row.since === null ? '' : `, its transaction began ${row.since}`
    return `session ${row.pid} (${known.join(', ')}${since})`
  })
}
