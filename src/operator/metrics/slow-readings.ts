import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { StoreReadings } from '../../ledger/measures.ts'
import { gauge, type Metric } from './metric.ts'

/** However often the metrics are scraped, the database is asked once in this time. */
const validMs = 10_000
/** A scrape waits this long, then responds without them. */
const waitMs = 1_000

/** The metrics that have to be read. If one cannot be read, only that one is missing. */
export function createSlowReadings(
  readings: StoreReadings,
  { now }: Pick<Clock, 'now'>,
  { elapsed }: Pick<Clock, 'elapsed'>,
): () => Promise<Metric[]> {
  let startedAt = Number.NEGATIVE_INFINITY
  let running = false
  let latest: Promise<Metric[]> = Promise.resolve([])
  let verifiedOnce: Promise<(number | null)[]> | null = null

  async function readDatabase(): Promise<Metric[]> {
    const [usage, difference] = await Promise.all([
      readings.dayUsage().catch(() => []),
      readings.clockDifferenceMs().catch(() => null),
    ])
    running = false
    return [
      gauge(
        'partner_credit_day_usage_ratio',
        "EP credited today ÷ perPartnerDay, in the partner's fullest tenant: the 20 highest.",
        usage.map(({ partnerId: partner, ratio: value }) => ({ labels: { partner }, value })),
        'max',
      ),
      gauge(
        'partner_credit_clock_difference_seconds',
        "How far our clock is ahead of the database server's.",
        difference === null ? [] : [{ value: difference / 1_000 }],
        'max',
      ),
    ]
  }

  /** While the database does not respond, no second query is queued behind the first. */
  function fromDatabase(): Promise<Metric[]> {
    if (!running && elapsed() - startedAt >= validMs) {
      startedAt = elapsed()
      running = true
      latest = readDatabase()
    }
    return latest
  }

  async function verifyAge(): Promise<Metric[]> {
    // On a disk that does not respond, every question would keep one of the few threads that read files.
    verifiedOnce ??= Promise.all([readings.verifiedAt(), readings.notSoundAt()])
      .catch(() => [null, null])
      .finally(() => {
        verifiedOnce = null
      })
    const [verifiedAt = null, notSoundAt = null] = await verifiedOnce
    return [
      gauge(
        'partner_credit_verify_age_seconds',
        'Time since verify last found the ledger sound, if that is known.',
        verifiedAt === null ? [] : [{ value: Math.max(0, now() - verifiedAt) / 1_000 }],
        'max',
      ),
      gauge(
        'partner_credit_verify_not_sound',
        '1 if the last verify that is known found the ledger not sound, otherwise 0.',
        [{ value: notSoundAt === null ? 0 : 1 }],
        'max',
      ),
    ]
  }

  const soon = (metrics: Promise<Metric[]>) => Promise.race([metrics, sleep(waitMs, [], { ref: false })])
  return async () => (await Promise.all([soon(fromDatabase()), soon(verifyAge())])).flat()
}
