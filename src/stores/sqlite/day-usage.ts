import type { Clock } from '../../clock.ts'
import type { DayUsage } from '../../ledger/measures.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import type { Reader } from './threads/start-reader.ts'

/** Read by the reader's thread: with thousands of accounts it takes milliseconds. */
export async function readDayUsage(reader: Reader, clock: Clock): Promise<DayUsage[]> {
  return JSON.parse(await reader.ask({ usageOn: vietnamDay(clock.now()) }))
}
