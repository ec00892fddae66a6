import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { createClient } from '../support/client.ts'
import { freshPostgres } from '../support/fresh-database.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { oneOf } from '../support/seeded-random.ts'
import { manyAccounts } from './many-tenants.ts'
import { play } from './play.ts'
import { areSoonNotReady, untilReady } from './readiness.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'
import { anOrder, sendAward } from './traffic.ts'

/** How a database stops, and how it returns. */
const outages: { name: string; goAway(database: OwnPostgres): Promise<void> | void }[] = [
  { name: 'stopped', goAway: (database) => database.stop() },
  { name: 'stopped at once', goAway: (database) => database.crash('SIGQUIT') },
  { name: 'killed', goAway: (database) => database.crash('SIGKILL') },
  { name: 'frozen', goAway: (database) => database.freeze() },
]
const presentMaxMs = 400
const awayMaxMs = 600
/** One in this many times it stays frozen for longer than any award waits. */
const longFreezes = 10
const longFreezeMs = 6_000
const pauseMs = 20

export const database = scenario({
  what: 'the database of three nodes stopped, crashed, killed or frozen, and back again, under load',
  defaults: { rounds: 12 },
  async run({ rounds, seed }) {
    await using cleanup = new AsyncDisposableStack()
    const own = await startOwnPostgres({ after: (release) => cleanup.defer(async () => release()) })
    const { url } = await freshPostgres(own.url)
    const fresh = { url, remove: async () => {} }
    return await play({ seed, database: fresh, partners: manyAccounts }, async (scene) => {
      const { startTraffic, random, log, show, stage } = scene
      const nodes = await startThreeNodes(scene)
      const traffic = startTraffic({ urls: () => nodes.map((node) => node.url), pauseMs })
      const violations: string[] = []
      const longest = { '503 when down, ms': 0, '503 when frozen, ms': 0, 'ready again, ms': 0 }
      const times = new Map(outages.map(({ name }) => [name, 0]))
      let freezes = 0
      for (let round = 0; round < rounds; round++) {
        await sleep(random() * presentMaxMs)
        const { name, goAway } = round < outages.length ? outages[round]! : oneOf(random, outages)
        times.set(name, times.get(name)! + 1)
        await goAway(own)
        const frozen = name === 'frozen'
        const away = sleep(frozen && ++freezes % longFreezes === 0 ? longFreezeMs : random() * awayMaxMs)
        if (frozen) {
          const answered = awardEach()
          await away
          own.thaw()
          longest['503 when frozen, ms'] = Math.max(longest['503 when frozen, ms'], (await answered).ms)
        } else {
          const { ms, outcomes } = await awardEach()
          longest['503 when down, ms'] = Math.max(longest['503 when down, ms'], ms)
          if (outcomes.includes('ok')) violations.push(`an award was ok while the database was ${name}`)
          if (!(await areSoonNotReady(nodes))) {
            violations.push(`I27: a node says it is ready while the database is ${name}`)
          }
          await away
          await own.start()
        }
        const readyMs = await untilReady(nodes)
        if (readyMs === null) {
          violations.push(`I27: the database was ${name}, is back, and a node is not ready`)
          break
        }
        longest['ready again, ms'] = Math.max(longest['ready again, ms'], readyMs)
        show(round / rounds)
      }
      await sleep(presentMaxMs)
      await traffic.stop()
      violations.push(...(await endNodes(nodes)))
      return { figures: { outages: rounds, ...Object.fromEntries(times), ...longest }, violations }

      /** Sends one award to each node; returns how long the slowest response took. */
      async function awardEach() {
        const since = performance.now()
        const [partner] = stage.partners as [(typeof stage.partners)[0]]
        const outcomes = await Promise.all(
          nodes.map((node, index) => {
            const order = anOrder(random, partner, `while-away-${log.events.length}-${index}`)
            return sendAward(log, createClient(node.url, partner, systemClock), order)
          }),
        )
        return { ms: Math.round(performance.now() - since), outcomes }
      }
    })
  },
})
