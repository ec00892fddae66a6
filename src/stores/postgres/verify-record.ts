import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { knownVerifiedAt, notLater } from '../verified-at.ts'
import type { RecordResult } from '../verify-record.ts'
import {
  brieflyIdle,
  openPool,
  type Pool,
  reading,
  type Result,
  type Schema,
  withClient,
} from './database.ts'

const answerMaxMs = 5_000

/** Every `verify` is whole here: there is no file to check. */
export async function beginVerifyRecord(url: string, schema: Schema = null): Promise<RecordResult> {
  const query: Query = (sql, values) => queryOnce(url, schema, sql, values)
  const seen = await readNotSoundAt(query).catch(() => null)
  return async ({ sound }, at) => (sound ? recordSound(query, at, seen) : recordNotSound(query, at))
}

type Query = (sql: string, values: unknown[]) => Promise<Result['rows']>

/** As text: whatever somebody has written there can be compared with itself. Null also clears nothing. */
async function readNotSoundAt(query: Query): Promise<string | null> {
  const rows = await query('SELECT not_sound_at::text AS at FROM verify_record WHERE only_row = 1', [])
  return rows[0]?.at ?? null
}

async function recordSound(query: Query, at: number, seen: string | null): Promise<boolean> {
  const rows = await query(
    `INSERT INTO verify_record AS known (only_row, verified_at) VALUES (1, $1::bigint)
     ON CONFLICT (only_row) DO UPDATE
     SET verified_at = excluded.verified_at, not_sound_at = nullif(known.not_sound_at, $2::bigint)
     RETURNING not_sound_at IS NULL AS sound`,
    [at, seen],
  )
  return rows[0]!.sound
}

async function recordNotSound(query: Query, at: number): Promise<false> {
  await query(
    `INSERT INTO verify_record (only_row, not_sound_at) VALUES (1, $1::bigint)
     ON CONFLICT (only_row) DO UPDATE SET not_sound_at = excluded.not_sound_at`,
    [at],
  )
  return false
}

/**
 * On a connection of its own, because a `verify` may take hours. It does not wait for the standby: if that fails before it
 * has this, the next `verify` writes it again.
 */
async function queryOnce(
  url: string,
  schema: Schema,
  sql: string,
  values: unknown[],
): Promise<Result['rows']> {
  const pool = openPool(url, {
    connectionsMax: 1,
    answerMaxMs,
    connectMaxMs: answerMaxMs,
    liftsRoleLimits: true,
    schema: () => schema,
  })
  try {
    return await withClient(pool, async (client) => {
      // Whatever the database's default is: of two that write at once, the second sees what the first wrote.
      await client.query(
        `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = local; ${brieflyIdle}`,
      )
      const { rows } = await client.query(sql, values)
      await client.query('COMMIT')
      return rows
    })
  } finally {
    await pool.end()
  }
}

/** Less than a scrape of the metrics waits. */
const readMaxMs = 700
/** Whoever may record a result can also lock the table, and on the same connection we find out whether we are ready. */
const lockWaitMaxMs = 100

/**
 * What a server knows of the last `verify`, read whenever somebody asks. While the database does not respond, or the role
 * may not read the table, it is what was read last.
 */
export function readVerifyRecord(pool: Pool, clock: Clock) {
  let known: { verifiedAt: number | null; notSoundAt: number | null } = { verifiedAt: null, notSoundAt: null }
  let refreshing: Promise<void> | null = null

  async function refresh(): Promise<void> {
    try {
      known = await reading(pool, clock, async (client) => {
        await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockWaitMaxMs}; ${brieflyIdle}`)
        const { rows } = await client.query(
          'SELECT verified_at AS "verifiedAt", not_sound_at AS "notSoundAt" FROM verify_record WHERE only_row = 1',
        )
        await client.query('COMMIT')
        return rows[0] ?? { verifiedAt: null, notSoundAt: null }
      })
    } catch {
      // The next question tries again.
    } finally {
      refreshing = null
    }
  }

  async function latest() {
    refreshing ??= refresh()
    await Promise.race([refreshing, sleep(readMaxMs, undefined, { ref: false })])
    return known
  }

  return {
    verifiedAt: async () => knownVerifiedAt((await latest()).verifiedAt, clock.now()),
    notSoundAt: async () => notLater((await latest()).notSoundAt, clock.now()),
  }
}
