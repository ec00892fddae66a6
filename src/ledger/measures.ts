import type { HistogramReading } from '../histogram.ts'
import type { CommitMeasures } from './commit-times.ts'

/** What a store measures while it serves. Reading it costs nothing and never waits for the database. */
export type StoreMeasures = {
  commits: CommitMeasures
  /** The write-ahead log that we keep short ourselves; null where the database does it. */
  log: LogMeasures | null
  /** Connections to a database server; empty where there is none. */
  pools: PoolMeasures[]
}

export type LogMeasures = {
  bytes: number
  /** Awards are refused from here on. */
  limitBytes: number
  /** Copying the log into the database, beside the commits. */
  copyMs: HistogramReading
  /** Starting the log over, while commits wait. */
  startOverMs: HistogramReading
}

export type PoolMeasures = { name: string; max: number; used: number; idle: number; waiting: number }

/** What a store has to read from its database, bounded and seldom. */
export type StoreReadings = {
  /** Of the partners with the highest ratios. */
  dayUsage(): Promise<DayUsage[]>
  /** How far our clock is ahead of the database's; null where both are the same. */
  clockDifferenceMs(): Promise<number | null>
  /** When `verify` last found the ledger sound; null if that is not known. */
  verifiedAt(): Promise<number | null>
  /** When a later `verify` found it not sound; null: none is known. */
  notSoundAt(): Promise<number | null>
}

/** EP credited today ÷ perPartnerDay, in the partner's fullest tenant. */
export type DayUsage = { partnerId: string; ratio: number }
