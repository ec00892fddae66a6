import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { knownVerifiedAt, notLater } from '../verified-at.ts'
import { brieflyIdle, openPool, type Pool, reading, withClient } from './database.ts'

const writeMaxMs = 5_000

export async function recordVerified(url: string, at: number): Promise<void> {
  await write(
    url,
    `INSERT INTO verify_record (only_row, verified_at) VALUES (1, $1::bigint)
     ON CONFLICT (only_row) DO UPDATE SET verified_at = excluded.verified_at, not_sound_at = NULL`,
    at,
  )
}

export async function recordNotSound(url: string, at: number): Promise<void> {
  await write(
    url,
    `INSERT INTO verify_record (only_row, not_sound_at) VALUES (1, $1::bigint)
     ON CONFLICT (only_row) DO UPDATE SET not_sound_at = excluded.not_sound_at`,
    at,
  )
}

/** It does not wait for the standby: if that fails before it has this, the next `verify` writes it again. */
async function write(url: string, sql: string, at: number): Promise<void> {
  const pool = openPool(url, {
    connectionsMax: 1,
    answerMaxMs: writeMaxMs,
    connectMaxMs: writeMaxMs,
    liftsRoleLimits: true,
  })
  try {
    await withClient(pool, async (client) => {
      await client.query(`BEGIN; SET LOCAL synchronous_commit = local; ${brieflyIdle}`)
      await client.query(sql, [at])
      await client.query('COMMIT')
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
