import type { Clock } from '../../clock.ts'
import { type Pool, reading } from './database.ts'

/** How many sessions of all nodes wait for a lock, or for their turn. */
export async function countLockWaits(pool: Pool, clock: Clock): Promise<number> {
  const { rows } = await reading(pool, clock, (client) =>
    client.query(`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND usename = session_user AND wait_event_type = 'Lock'`),
  )
  return rows[0].count
}
