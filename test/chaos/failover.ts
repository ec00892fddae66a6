import { setTimeout as sleep } from 'node:timers/promises'
import { freshPostgres } from '../support/fresh-database.ts'
import { oneOf } from '../support/seeded-random.ts'
import { manyAccounts } from './many-tenants.ts'
import { play } from './play.ts'
import { startPrimaryAndStandby } from './primary-and-standby.ts'
import { untilReady } from './readiness.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'

const loadMaxMs = 600
/** In half of the rounds the standby receives nothing for a moment before the primary dies. */
const stallMaxMs = 300
const pauseMs = 20

export const failover = scenario({
  what: 'the primary dies under load and its synchronous standby is promoted: it has all that was acknowledged',
  defaults: { rounds: 5 },
  async run({ rounds, seed }) {
    await using cleanup = new AsyncDisposableStack()
    const servers = await startPrimaryAndStandby({ after: (release) => cleanup.defer(async () => release()) })
    const { url } = await freshPostgres(servers.url)
    const database = { url, remove: async () => {} }
    return await play({ seed, database, partners: manyAccounts }, async (scene) => {
      const { startTraffic, random, show } = scene
      const nodes = await startThreeNodes(scene)
      const traffic = startTraffic({ urls: () => nodes.map((node) => node.url), pauseMs })
      const violations: string[] = []
      let longestMs = 0
      for (let round = 0; round < rounds; round++) {
        await sleep(random() * loadMaxMs)
        const stalled = random() < 0.5
        if (stalled) {
          await servers.stallReplication()
          await sleep(random() * stallMaxMs)
        }
        await servers.failOver(stalled ? 'SIGKILL' : oneOf(random, ['SIGQUIT', 'SIGKILL'] as const))
        const readyMs = await untilReady(nodes)
        if (readyMs === null) {
          violations.push('I27: the standby was promoted, and a node is not ready')
          break
        }
        longestMs = Math.max(longestMs, readyMs)
        await sleep(random() * loadMaxMs)
        if (round < rounds - 1) await servers.rebuild()
        show(round / rounds)
      }
      await traffic.stop()
      violations.push(...(await endNodes(nodes)))
      return { figures: { failovers: rounds, 'ready again, ms': longestMs }, violations }
    })
  },
})
