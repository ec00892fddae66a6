import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { openStore } from '../../src/stores/open.ts'
import { createClient } from '../support/client.ts'
import { storeKind } from '../support/fresh-database.ts'
import type { HistoryFloodFigures, HistoryFloodPlan } from './history-flood-thread.ts'
import { percentile } from './open-loop.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import type { PartnerKey, Stage } from './stage.ts'
import { anOrder, sendAward } from './traffic.ts'

const [flooder, quiet, thief] = ['acme', 'globex', 'initech'].map((partnerId) => ({ partnerId }))
const awardsOfFlooder = 100
const pauseMs = 20

/**
 * One partner requests long pages on many connections, as fast as it can. Meanwhile another reads its own history page
 * by page, and the key of a third is revoked. The figures are what the other sees, and how long the key still works.
 */
export const historyFlood = scenario({
  what: 'one partner floods the history; others read theirs, and a key that is revoked works no longer than a second',
  defaults: {
    ms: 10_000,
    connections: 500,
    pipelined: 8,
    'revoked-max-ms': 1_000,
    postgres: storeKind === 'postgres' ? 1 : 0,
  },
  run: ({ ms, connections, pipelined, seed, postgres, 'revoked-max-ms': revokedMaxMs }) =>
    play(
      { seed, partners: [flooder!, quiet!, thief!], database: postgres === 1 ? 'postgres' : 'sqlite' },
      async ({ stage, startServer, log, random }) => {
        const { url } = await startServer()
        const [flooding, reader, victim] = stage.partners as [PartnerKey, PartnerKey, PartnerKey]
        for (let n = 0; n < awardsOfFlooder; n++) {
          await sendAward(log, createClient(url, flooding, systemClock), anOrder(random, flooding, `f-${n}`))
        }
        await sendAward(log, createClient(url, reader, systemClock), anOrder(random, reader, 'q-1'))

        const plan: HistoryFloodPlan = { url, partner: flooding, connections, pipelined }
        const thread = new Worker(new URL('./history-flood-thread.ts', import.meta.url), { workerData: plan })
        const until = performance.now() + ms
        const pages = readPages(url, reader, until)
        await sleep(ms / 2)
        const revokedMs = await untilRefused(url, stage, victim, 10 * revokedMaxMs)
        const { waits, refused } = await pages
        thread.postMessage('stop')
        const [flooded]: [HistoryFloodFigures] = (await once(thread, 'message')) as [HistoryFloodFigures]
        await thread.terminate()

        const violations: string[] = []
        if (refused > 0)
          violations.push(`I26: ${refused} of ${waits.length} pages of the others were refused`)
        if (waits.length === 0) violations.push('I26: the others got no page at all')
        if (revokedMs > revokedMaxMs) violations.push(`I32: a revoked key still worked after ${revokedMs} ms`)
        return {
          figures: {
            'pages of the flooder': flooded.answered,
            'shed with 503': flooded.shed,
            'otherwise answered or lost': flooded.other,
            'pages of the others': waits.length,
            'others refused': refused,
            'others p50, ms': percentile(waits, 50),
            'others p99, ms': percentile(waits, 99),
            'a revoked key worked for, ms': revokedMs,
          },
          violations,
        }
      },
    ),
})

async function readPages(url: string, partner: PartnerKey, until: number) {
  const client = createClient(url, partner, systemClock)
  const waits: number[] = []
  let refused = 0
  while (performance.now() < until) {
    const since = performance.now()
    if ((await client.history('t1')).status !== 200) refused++
    waits.push(performance.now() - since)
    await sleep(pauseMs)
  }
  return { waits, refused }
}

/** Uses requests that read no history: a tenant that the key may not use is refused before that. */
async function untilRefused(
  url: string,
  stage: Stage,
  victim: PartnerKey,
  giveUpMs: number,
): Promise<number> {
  const { database } = readConfig(stage.environment)
  const store = await openStore(database)
  const operator = { store: store.partners, actor: 'chaos', now: Date.now() }
  const partners = await store.partners.partners()
  const { keyId } = partners.find(({ partnerId }) => partnerId === victim.partnerId)!.keys[0]!
  await revokeKey(operator, keyId)
  await store.close()
  const since = performance.now()
  const client = createClient(url, victim, systemClock)
  while ((await client.history('somebody-elses')).status !== 401) {
    if (performance.now() - since > giveUpMs) break
    await sleep(5)
  }
  return Math.round(performance.now() - since)
}
