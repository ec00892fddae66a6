import type { Clock } from '../../clock.ts'
import type { DayUsage } from '../../ledger/measures.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { dayUsageQuery } from '../usage-query.ts'
import { type Pool, reading } from './database.ts'

/** On a connection for pages of history: with thousands of accounts it takes milliseconds. */
export async function readDayUsage(pool: Pool, clock: Clock): Promise<DayUsage[]> {
  const { rows } = await reading(pool, clock, (client) =>
    client.query(dayUsageQuery, [vietnamDay(clock.now())]),
  )
  return rows.map(({ partnerId, ratio }) => ({ partnerId, ratio: Number(ratio) }))
}
