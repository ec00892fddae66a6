import { systemClock } from '../../src/clock.ts'
import { createClient } from '../support/client.ts'
import { type ClusterNode, clusterNode } from '../support/cluster-node.ts'
import { citusUrl } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import type { HistoryLog } from './history-log.ts'
import type { Scene } from './play.ts'
import type { PartnerPlan } from './stage.ts'
import { anOrder, sendAward } from './traffic.ts'
import { tenantsOf } from './many-tenants.ts'

/** The coordinator, then the workers, of the cluster that TEST_CITUS_URL names. They run on this machine. */
export async function nodesOfCluster(): Promise<[ClusterNode, ...ClusterNode[]]> {
  if (citusUrl === undefined)
    throw new Error('set TEST_CITUS_URL to a database on the coordinator of a cluster')
  const nodes = await runSql(
    citusUrl,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  )
  const urls = nodes.map(
    ({ host, port }) =>
      Object.assign(new URL(citusUrl!), { host: `${host}:${port}`, pathname: '/postgres' }).href,
  )
  return (await Promise.all(urls.map(clusterNode))) as [ClusterNode, ...ClusterNode[]]
}

/** Accounts on every shard; the second partner runs into its cap in each of its own. */
export const partnersOnAllShards: PartnerPlan[] = Array.from({ length: 8 }, (_, index) => ({
  partnerId: `partner${index}`,
  tenants: tenantsOf(6),
  ...(index === 1 ? { perPartnerDay: 1_000 } : {}),
}))

/** From the time when all of the cluster's nodes accept connections. */
export const recoveryMaxMs = 10_000

/** Until an award of every account has an answer on every server: how long it took in ms; null: too long. */
export async function untilRecovered(
  { stage, log, random }: Pick<Scene, 'stage' | 'log' | 'random'>,
  servers: ServerProcess[],
): Promise<number | null> {
  const since = performance.now()
  const accounts = stage.partners.flatMap((partner) =>
    partner.tenants.map((tenantId) => ({ ...partner, tenants: [tenantId] })),
  )
  const answered = accounts.map(async (partner, index) => {
    const server = servers[index % servers.length]!
    const client = createClient(server.url, partner, systemClock)
    const order = anOrder(random, partner, `after-${log.events.length}-${index}`)
    while ((await sendAward(log, client, order)) === 'unknown')
      if (performance.now() - since > recoveryMaxMs) return false
    return true
  })
  const all = await Promise.all(answered)
  return all.includes(false) ? null : Math.round(performance.now() - since)
}

/** While a node was away, partners may see 503 and nothing else but what they usually see. */
export function otherThan503({ events }: HistoryLog): string[] {
  return events
    .filter((event) => event.kind === 'unknown' && !event.why.startsWith('503'))
    .map((event) => `not a 503: ${(event as { why: string }).why}`)
}
