import { setTimeout as sleep } from 'node:timers/promises'
import { operatorsCitus } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'
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

const pauseMs = 20
const presentMaxMs = 1_000
const awayMs = 4_000
const betweenCutsMs = 100

/** Commits that wait for a standby on a worker are canceled there: PostgreSQL then commits without it, and warns. */
const cutShort = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

export const citusStandby = scenario({
  what: 'the workers of the cluster TEST_CITUS_URL lose their synchronous standbys, and waits for them are canceled',
  defaults: { rounds: 3 },
  async run({ rounds, seed }) {
    const [, ...workers] = await nodesOfCluster()
    const database = await operatorsCitus()
    return await play({ seed, database, partners: partnersOnAllShards }, async (scene) => {
      const { startTraffic, random, log, show } = scene
      const servers = await startThreeNodes(scene)
      const traffic = startTraffic({ urls: () => servers.map(({ url }) => url), pauseMs, clients: 24 })
      const violations: string[] = []
      let cuts = 0
      let longestMs = 0
      for (let round = 0; round < rounds; round++) {
        await sleep(random() * presentMaxMs)
        for (const worker of workers) await worker.set('synchronous_standby_names', 'nobody')
        const since = log.events.length
        const until = performance.now() + awayMs
        while (performance.now() < until) {
          for (const worker of workers) cuts += (await runSql(worker.url, cutShort)).length
          await sleep(betweenCutsMs)
        }
        const begun = new Set(
          log.events.slice(since).flatMap((event) => (event.kind === 'invoke' ? [event.attempt] : [])),
        )
        const ok = log.events.slice(since).filter((event) => event.kind === 'ok' && begun.has(event.attempt))
        if (ok.length > 0) violations.push(`${ok.length} awards were ok, and no standby had them`)
        for (const worker of workers) await worker.set('synchronous_standby_names', null)
        const recoveredMs = await untilRecovered(scene, servers)
        if (recoveredMs === null)
          violations.push(`not recovered ${recoveryMaxMs} ms after the standbys were back`)
        longestMs = Math.max(longestMs, recoveredMs ?? recoveryMaxMs)
        show(round / rounds)
      }
      await traffic.stop()
      if (cuts === 0) violations.push('no wait was canceled')
      violations.push(...otherThan503(log), ...(await endNodes(servers)))
      return { figures: { rounds, 'waits canceled': cuts, 'recovered, ms': longestMs }, violations }
    })
  },
})
