import { setTimeout as sleep } from 'node:timers/promises'
import { operatorsCitus } from '../support/citus-database.ts'
import { oneOf } from '../support/seeded-random.ts'
import {
  nodesOfCluster,
  otherThan503,
  partnersOnAllShards,
  recoveryMaxMs,
  untilRecovered,
} from './citus-cluster.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'

const presentMaxMs = 2_000
const awayMaxMs = 2_000
const pauseMs = 20

export const citusKill = scenario({
  what: 'kill -9 of a worker, or of the coordinator, of the cluster TEST_CITUS_URL, under load, and its start',
  defaults: { rounds: 6 },
  async run({ rounds, seed }) {
    const cluster = await nodesOfCluster()
    const database = await operatorsCitus()
    return await play({ seed, database, partners: partnersOnAllShards }, async (scene) => {
      const { startTraffic, random, log, show } = scene
      const servers = await startThreeNodes(scene)
      const traffic = startTraffic({ urls: () => servers.map(({ url }) => url), pauseMs, clients: 24 })
      const violations: string[] = []
      let longestMs = 0
      const kills = { coordinator: 0, worker: 0 }
      for (let round = 0; round < rounds; round++) {
        await sleep(random() * presentMaxMs)
        // Each of them once, then any of them.
        const node = round < cluster.length ? cluster[round]! : oneOf(random, cluster)
        kills[node === cluster[0] ? 'coordinator' : 'worker']++
        await node.kill()
        await sleep(random() * awayMaxMs)
        await node.start()
        const recoveredMs = await untilRecovered(scene, servers)
        if (recoveredMs === null)
          violations.push(`not recovered ${recoveryMaxMs} ms after ${node.url} was back`)
        longestMs = Math.max(longestMs, recoveredMs ?? recoveryMaxMs)
        show(round / rounds)
      }
      await traffic.stop()
      violations.push(...otherThan503(log), ...(await endNodes(servers)))
      return { figures: { kills: rounds, ...kills, 'recovered, ms': longestMs }, violations }
    })
  },
})
