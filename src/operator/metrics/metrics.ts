import type { Clock } from '../../clock.ts'
import type { StoreMeasures, StoreReadings } from '../../ledger/measures.ts'
import type { JournalMeasures } from '../../journal/journal.ts'
import { journalMetrics } from './journal-metrics.ts'
import { watchLoopDelay } from './loop-delay.ts'
import { type AlertMeasures, alertMetrics } from './alert-metrics.ts'
import type { Metric } from './metric.ts'
import { processMetrics } from './process-metrics.ts'
import { type Listeners, requestMetrics } from './request-metrics.ts'
import { createSlowReadings } from './slow-readings.ts'
import { storeMetrics } from './store-metrics.ts'

export type Metrics = {
  /** What this process counts. It waits for nothing. */
  counted(): Metric[]
  /** What has to be read from the database, for all processes. */
  readSlowly(): Promise<Metric[]>
  end(): void
}

type Sources = {
  /** Called at the scrape: one of them serves it. */
  listeners(): Listeners
  store: { measured(): StoreMeasures; readings: StoreReadings }
  journal: { measured(): JournalMeasures }
  alerts: { measured(): AlertMeasures }
  clock: Clock
  systemClock: Clock
}

/** Reads the counters of the objects that count. Nothing is counted here, except the delays of the event loop. */
export function createMetrics(sources: Sources): Metrics {
  const { listeners, store, journal, alerts, clock, systemClock } = sources
  const loopDelay = watchLoopDelay(systemClock)
  return {
    counted: () => [
      ...requestMetrics(listeners()),
      ...storeMetrics(store.measured()),
      ...journalMetrics(journal.measured()),
      ...alertMetrics(alerts.measured()),
      ...processMetrics(loopDelay.read()),
    ],
    readSlowly: createSlowReadings(store.readings, clock, systemClock),
    end: loopDelay.end,
  }
}
