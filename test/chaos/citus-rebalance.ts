import { setTimeout as sleep } from 'node:timers/promises'
import { newClusterNode } from '../support/cluster-node.ts'
import { citusUrl, operatorsCitus } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'
import { oneOf } from '../support/seeded-random.ts'
import { otherThan503, partnersOnAllShards, recoveryMaxMs, untilRecovered } from './citus-cluster.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'

const pauseMs = 20
const betweenMaxMs = 1_000

export const citusRebalance = scenario({
  what: 'a third worker joins the cluster TEST_CITUS_URL under load, gets shards, gives them back and leaves',
  defaults: { rounds: 3 },
  async run({ rounds, seed }) {
    await using cleanup = new AsyncDisposableStack()
    const database = await operatorsCitus()
    const { pathname } = new URL(database.url)
    const third = await newClusterNode(
      { after: (release) => cleanup.defer(async () => release()) },
      Object.assign(new URL(citusUrl!), { pathname: '/postgres' }).href,
    )
    const onThird = Object.assign(new URL(third.url), { pathname }).href
    await runSql(third.url, `CREATE DATABASE ${pathname.slice(1)} ENCODING 'UTF8' TEMPLATE template0`)
    await runSql(onThird, 'CREATE EXTENSION citus')
    const address = `'127.0.0.1', ${new URL(third.url).port}`
    return await play({ seed, database, partners: partnersOnAllShards }, async (scene) => {
      const { startTraffic, random, log, show } = scene
      const servers = await startThreeNodes(scene)
      const traffic = startTraffic({ urls: () => servers.map(({ url }) => url), pauseMs, clients: 24 })
      const violations: string[] = []
      let moves = 0
      let longestMs = 0
      for (let round = 0; round < rounds; round++) {
        const mode = oneOf(random, ['force_logical', 'block_writes'])
        await sleep(random() * betweenMaxMs)
        await runSql(database.url, `SELECT citus_add_node(${address})`)
        await runSql(database.url, `SELECT rebalance_table_shards(shard_transfer_mode => '${mode}')`)
        moves += await shardsOnThird()
        await sleep(random() * betweenMaxMs)
        await runSql(database.url, `SELECT citus_drain_node(${address}, '${mode}')`)
        if ((await shardsOnThird()) > 0) violations.push('the third worker was not drained')
        await runSql(database.url, 'CALL citus_cleanup_orphaned_resources()')
        await runSql(database.url, `SELECT citus_remove_node(${address})`)
        const recoveredMs = await untilRecovered(scene, servers)
        if (recoveredMs === null) violations.push(`not recovered ${recoveryMaxMs} ms after the last move`)
        longestMs = Math.max(longestMs, recoveredMs ?? recoveryMaxMs)
        show(round / rounds)
      }
      await traffic.stop()
      if (moves === 0) violations.push('no shard was moved')
      violations.push(...otherThan503(log), ...(await endNodes(servers)))
      return { figures: { rounds, 'shards moved there': moves, 'recovered, ms': longestMs }, violations }
    })

    async function shardsOnThird(): Promise<number> {
      const [{ count }] = await runSql(
        database.url,
        `SELECT count(*)::int FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
         WHERE (nodename, nodeport) = (${address})`,
      )
      return count
    }
  },
})
