import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { verifyLedger, type Verification } from '../../src/proof/verify.ts'
import { type DatabaseLocation, openReading, serveStore } from '../../src/stores/open.ts'
import type { StoreToServe } from '../../src/stores/store.ts'
import { type FreshCitus, freshCitus } from './fresh-citus.ts'
import { runSql } from './fresh-database.ts'
import { makePartner } from './operators.ts'
import type { Lifetime } from './service.ts'
import { anOrder } from './sqlite-ledger.ts'

/** Enough partners and tenants to be on every worker, and most awards on two of them. */
const partners = Array.from({ length: 6 }, (_, index) => `partner${index}`)
const tenants = ['t1', 't2', 't3', 't4']

type CitusLedger = FreshCitus & {
  database: DatabaseLocation
  store: StoreToServe
  verify(): Promise<Verification>
  /** The worker that has the rows of this partner or tenant, not through the coordinator, to tamper with them. */
  shardOf(table: string, value: string): Promise<{ url: string; name: string }>
  /** Moves the shard, and those beside it, to the other worker. */
  moveShard(table: string, value: string): Promise<void>
  /** Makes awards on all accounts without a pause, until `stop`, which returns how many were credited and what was thrown. */
  startLoad(): { stop(): Promise<{ credited: number; failures: Error[] }> }
}

/** A served ledger on a cluster, with real time. */
export async function aCitusLedger(test: Lifetime): Promise<CitusLedger> {
  const cluster = await freshCitus()
  const database = { kind: 'postgres', url: cluster.url } as const
  const store = await serveStore(database, { caps: {}, clock: systemClock, warn: () => {} })
  test.after(async () => {
    await store.ledger.close()
    await store.close()
    await cluster.remove()
  })
  const operator = { store: store.partners, actor: 'test', now: systemClock.now() }
  for (const partnerId of partners) await makePartner(operator, { partnerId, name: partnerId, tenants })

  let orders = 0
  function startLoad() {
    let running = true
    let credited = 0
    const failures: Error[] = []
    async function sendOn(partnerId: string, tenantId: string): Promise<void> {
      while (running) {
        const order = ++orders
        const award = { partnerId, tenantId, userEmail: `user${order % 7}@example.vn`, amount: 1000 }
        try {
          const { kind } = await store.ledger.award(anOrder(`order-${order}`, award))
          if (kind === 'credited') credited++
        } catch (error) {
          failures.push(error as Error)
          // While awards fail at once, whoever never waits would keep the process from everything else.
          await sleep(10)
        }
      }
    }
    const senders = partners.flatMap((partner) => tenants.map((tenant) => sendOn(partner, tenant)))
    return {
      async stop() {
        running = false
        await Promise.all(senders)
        return { credited, failures }
      },
    }
  }

  async function verify(): Promise<Verification> {
    const reading = await openReading(database)
    try {
      return await verifyLedger(reading, () => {})
    } finally {
      await reading.close()
    }
  }
  async function shardOf(table: string, value: string): Promise<{ url: string; name: string }> {
    const [{ name, host }] = await runSql(
      cluster.url,
      `SELECT shard_name('${table}', shardid) AS name, nodename || ':' || nodeport AS host
       FROM get_shard_id_for_distribution_column('${table}', '${value}') AS shardid
         JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)`,
    )
    return { name, url: Object.assign(new URL(cluster.url), { host }).href }
  }
  async function moveShard(table: string, value: string): Promise<void> {
    await runSql(
      cluster.url,
      `SELECT citus_move_shard_placement(shardid, here.nodename, here.nodeport, other.nodename, other.nodeport, 'block_writes')
       FROM get_shard_id_for_distribution_column('${table}', '${value}') AS shardid
         JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node AS here USING (groupid)
         JOIN pg_dist_node AS other ON other.groupid NOT IN (0, here.groupid) LIMIT 1`,
    )
  }
  return { ...cluster, database, store, verify, shardOf, moveShard, startLoad }
}
