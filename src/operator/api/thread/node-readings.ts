import type { Clock } from '../../../clock.ts'
import type { StoreReadings } from '../../../ledger/measures.ts'
import type { Readiness } from '../../../wire/readiness.ts'
import type { RouteCounts } from '../../../wire/request-counts.ts'
import type { DurationCounts, NodeReadings } from './messages.ts'

type Sources = {
  requests(): RouteCounts[]
  readings: StoreReadings
  ready: Readiness
  clock: Clock
  systemClock: Clock
  keepEveryMs?: number | undefined
}

type Kept = Pick<NodeReadings, 'verifiedAt' | 'notSoundAt' | 'clockDifferenceMs' | 'warnings'>

/** However many consoles are open, the database is asked once in this time. */
const validMs = 5_000
const awardRoute = '/v1/ep/webhook'
const minuteMs = 60_000
/** An hour, and the minute in which it begins. */
const minutesMax = 61

/** What the main thread knows of this node, for the overview. */
export function createNodeReadings(sources: Sources): { read(): Promise<NodeReadings>; end(): void } {
  const { requests, readings, ready, clock, systemClock, keepEveryMs = minuteMs } = sources
  const startedAt = clock.now()
  const minutes: NodeReadings['minutes'] = []
  let askedAt = Number.NEGATIVE_INFINITY
  let latest: Promise<Kept> | null = null

  async function ask(): Promise<Kept> {
    const [verifiedAt, notSoundAt, clockDifferenceMs, warnings] = await Promise.all([
      readings.verifiedAt().catch(() => null),
      readings.notSoundAt().catch(() => null),
      readings.clockDifferenceMs().catch(() => null),
      ready().catch((error: Error) => [`awards cannot be accepted: ${error.message}`]),
    ])
    return { verifiedAt, notSoundAt, clockDifferenceMs, warnings: [...warnings] }
  }
  function awardMs(): DurationCounts {
    const { upTo, count } = requests().find(({ route }) => route === awardRoute)?.durationMs ?? noRequests
    return { upTo, count }
  }
  const timer = setInterval(() => {
    minutes.push({ at: clock.now(), ...awardMs() })
    if (minutes.length > minutesMax) minutes.shift()
  }, keepEveryMs)
  timer.unref()

  return {
    async read() {
      if (latest === null || systemClock.elapsed() - askedAt >= validMs) {
        askedAt = systemClock.elapsed()
        latest = ask()
      }
      return { ...(await latest), startedAt, awardMs: awardMs(), minutes }
    },
    end: () => clearInterval(timer),
  }
}

const noRequests = { upTo: [], count: 0 }
