import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { startDelayingProxy } from '../support/delaying-proxy.ts'
import { tenantsOf } from './many-tenants.ts'
import { figuresOf, logLoad, type Sent, type StreamLog } from './open-loop.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'

/** What one of the threads does. */
export type NodesPlan = {
  url: string
  name: string
  stores: number
  /** For each store. */
  clients: number
  seconds: number
  partners: { partnerId: string; tenants: string[] }[]
  seed: number
}

const threads = 2
const partnerIds = ['acme', 'globex']

/**
 * Many nodes, all of which award to the same few accounts, far away from their database: stores with group commit in a
 * few threads, without HTTP, behind a connection with a delay. First a few of them, then many, each with as many clients.
 * An account takes one batch at a time, from any node, so many nodes cannot be faster than a few. They must not be
 * much slower either, and an award that is not served gets 503 and nothing else.
 */
export const manyNodes = scenario({
  what: 'many nodes share a few accounts far away from the database',
  defaults: {
    stores: 32,
    'few-stores': 4,
    'rtt-ms': 50,
    seconds: 20,
    clients: 100,
    tenants: 4,
    'least-percent': 80,
  },
  run: ({ stores, 'few-stores': few, 'rtt-ms': rttMs, seconds, clients, tenants, seed, ...bounds }) => {
    const partners = partnerIds.map((partnerId) => ({ partnerId, tenants: tenantsOf(tenants) }))
    return play({ seed, database: 'postgres', partners }, async ({ stage, log, after }) => {
      const url = await startDelayingProxy({ after }, stage.database.url, { rttMs })
      const run = (count: number) =>
        runNodes({ url, name: `${count}-nodes`, stores: count, clients, seconds, partners, seed })
      const fewer = await run(few)
      const many = await run(stores)
      const violations = logLoad(log, [...fewer, ...many])
      const [fewFigures, manyFigures] = [figuresOf(fewer, seconds), figuresOf(many, seconds)]
      const percent = Math.round((100 * manyFigures.goodput) / fewFigures.goodput)
      if (percent < bounds['least-percent'])
        violations.push(`I25: ${stores} nodes make ${percent} % of what ${few} nodes do`)
      const others = [...fewer, ...many]
        .flatMap(({ sent }) => sent)
        .filter(({ status }) => isUnwanted(status))
      if (others.length > 0)
        violations.push(`I24: ${others.length} awards failed with ${others[0]!.status} ${others[0]!.code}`)
      return {
        figures: {
          [`${few} nodes, awards/s`]: fewFigures.goodput,
          [`${few} nodes, 503`]: fewFigures.shed,
          [`${few} nodes, p50 ms`]: fewFigures.p50Ms,
          [`${few} nodes, p99 ms`]: fewFigures.p99Ms,
          [`${stores} nodes, awards/s`]: manyFigures.goodput,
          [`${stores} nodes, 503`]: manyFigures.shed,
          [`${stores} nodes, p50 ms`]: manyFigures.p50Ms,
          [`${stores} nodes, p99 ms`]: manyFigures.p99Ms,
          'many, % of few': percent,
        },
        violations,
      }
    })
  },
})

function isUnwanted(status: number): boolean {
  return status !== 202 && status !== 503
}

/** The nodes are spread over the threads. They begin together. */
async function runNodes({ stores, ...plan }: NodesPlan): Promise<StreamLog[]> {
  const workers = Array.from({ length: Math.min(threads, stores) }, (_, index) => {
    const own = Math.floor(stores / threads) + (index < stores % threads ? 1 : 0)
    const name = `${plan.name}-${index}`
    const workerData: NodesPlan = { ...plan, name, stores: own, seed: plan.seed + index }
    return new Worker(new URL('./many-nodes-thread.ts', import.meta.url), { workerData })
  })
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  const ended = workers.map((worker) => once(worker, 'message') as Promise<[Sent[]]>)
  for (const worker of workers) worker.postMessage('begin')
  const logs = await Promise.all(ended)
  await Promise.all(workers.map((worker) => worker.terminate()))
  return logs.map(([sent]) => ({ offered: sent.length, turnedAway: 0, unanswered: 0, sent }))
}
