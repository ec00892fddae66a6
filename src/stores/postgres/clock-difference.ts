import type { Clock } from '../../clock.ts'
import { type Pool, reading } from './database.ts'

/** How far our clock is ahead of the database's. Assumes that both directions of the round trip take equally long. */
export async function readClockDifference(pool: Pool, clock: Clock): Promise<number> {
  return reading(pool, clock, async (client) => {
    const before = clock.now()
    const { rows } = await client.query(
      `SELECT (extract(epoch FROM clock_timestamp()) * 1000::numeric)::bigint AS now`,
    )
    return (before + clock.now()) / 2 - rows[0].now
  })
}
