import type { Clock } from '../../../clock.ts'
import type { StoreReadings } from '../../../ledger/measures.ts'
import type { Readiness } from '../../../wire/readiness.ts'
import type { RouteCounts } from '../../../wire/request-counts.ts'
import type { NodeReadings } from './messages.ts'

type Sources = {
  requests(): RouteCounts[]
  readings: StoreReadings
  ready: Readiness
  clock: Clock
  systemClock: Clock
}

/** However many consoles are open, the database is asked once in this time. */
const validMs = 5_000
const awardRoute = '/v1/ep/webhook'

/** What the main thread knows of this node, for the overview. */
export function createNodeReadings({
  requests,
  readings,
  ready,
  clock,
  systemClock,
}: Sources): () => Promise<NodeReadings> {
  const startedAt = clock.now()
  let askedAt = Number.NEGATIVE_INFINITY
  let latest: Promise<Omit<NodeReadings, 'awardMs' | 'startedAt'>> | null = null

  async function read() {
    const [verifiedAt, clockDifferenceMs, warnings] = await Promise.all([
      readings.verifiedAt().catch(() => null),
      readings.clockDifferenceMs().catch(() => null),
      ready().catch((error: Error) => [`awards cannot be accepted: ${error.message}`]),
    ])
    return { verifiedAt, clockDifferenceMs, warnings: [...warnings] }
  }
  return async () => {
    if (latest === null || systemClock.elapsed() - askedAt >= validMs) {
      askedAt = systemClock.elapsed()
      latest = read()
    }
    const { upTo, count } = requests().find(({ route }) => route === awardRoute)?.durationMs ?? noRequests
    return { ...(await latest), startedAt, awardMs: { upTo, count } }
  }
}

const noRequests = { upTo: [], count: 0 }
