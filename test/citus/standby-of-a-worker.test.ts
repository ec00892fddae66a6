import { equal, match, ok, rejects } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Unavailable } from '../../src/ledger/errors.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { send } from '../support/client.ts'
import { type ClusterNode, clusterNode } from '../support/cluster-node.ts'
import { eventually } from '../support/eventually.ts'
import { citusUrl } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { startSmallNode } from '../support/small-node.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

/** Of a server: the commits side by side when the standby went away, and a probe. */
const sessionsMax = 3 + 1

if (citusUrl !== undefined) {
  describe('a commit whose wait for the standby of a worker was cut short', async () => {
    const workers: ClusterNode[] = []
    // Whatever happens: other databases are on these workers, too.
    after(() => Promise.all(workers.map((worker) => worker.set('synchronous_standby_names', null))))
    const ledger = await aCitusLedger({ after })
    for (const { url } of ledger.workers) workers.push(await clusterNode(url))
    const [accounts] = await placesOf('accounts', 'partner0')
    const [here] = await tenantsWhere('=')
    const [there] = await tenantsWhere('<>')

    async function placesOf(table: string, value: string): Promise<number[]> {
      const rows = await runSql(
        ledger.url,
        `SELECT groupid FROM get_shard_id_for_distribution_column('${table}', '${value}') AS shardid
           JOIN pg_dist_placement USING (shardid)`,
      )
      return rows.map(({ groupid }) => groupid)
    }
    async function tenantsWhere(operator: string): Promise<string[]> {
      const tenants = ['t1', 't2', 't3', 't4']
      const groups = await Promise.all(tenants.map((tenant) => placesOf('user_days', tenant)))
      return tenants.filter((_, index) => (groups[index]![0] === accounts) === (operator === '='))
    }

    for (const [where, tenantId] of [
      ['on one worker', here],
      ['on two workers, in two phases', there],
    ] as const) {
      if (tenantId === undefined) continue
      const account = { partnerId: 'partner0', tenantId }

      test(`is not acknowledged, ${where}; nor is its replay, until the standby is there`, async () => {
        await ledger.store.ledger.award(anOrder(`before-${tenantId}`, account))
        for (const worker of workers) await worker.set('synchronous_standby_names', 'nobody')
        const order = anOrder(`order-${tenantId}`, account)
        await cutShortUntil(rejected(ledger.store.ledger.award(order)))
        await cutShortUntil(rejected(ledger.store.ledger.award(order)))
        for (const worker of workers) await worker.set('synchronous_standby_names', null)
        const replayed = await eventuallyAnswered(order)
        equal(replayed.kind, 'duplicate')
        equal((await ledger.verify()).fault, null)
      })
    }

    test('that is not cut short leaves a bounded number of sessions behind, however many awards are sent', async (t) => {
      const limits = { deadlineMs: 500, answerMaxMs: 1_200 }
      const tenants = Array.from({ length: 10 }, (_, index) => `waiting${index}`)
      const { acme, url } = await startSmallNode(t, ledger.url, limits, { tenants })
      for (const tenantId of tenants) equal((await acme.award({ tenantId })).status, 202)
      for (const worker of workers) await worker.set('synchronous_standby_names', 'nobody')
      let most = 0
      for (const tenantId of tenants) {
        assertUnavailable(await acme.award({ tenantId }))
        const [{ count }] = await runSql(
          ledger.url,
          "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT' AND state = 'active'",
        )
        most = Math.max(most, count)
      }
      ok(most <= sessionsMax, `${most} sessions waited`)
      const isReady = async () => (await send(`${url}/readyz`)).status === 200
      equal(await isReady(), false)
      for (const worker of workers) await worker.set('synchronous_standby_names', null)
      await eventually('it is ready again', isReady, { withinMs: 30_000 })
      await eventually(
        'an award is credited',
        async () => (await acme.award({ tenantId: tenants[0]! })).status === 202,
        {
          withinMs: 30_000,
        },
      )
    })

    async function rejected(award: Promise<unknown>): Promise<void> {
      await rejects(award, (error: Error) => {
        equal(error instanceof Unavailable, true, error.message)
        match(error.message, /may not be durable|does not confirm|not known/)
        return true
      })
    }

    /** Cancels every wait for a standby on the workers until the award has its answer. */
    async function cutShortUntil(answered: Promise<void>): Promise<void> {
      let isAnswered = false
      const done = answered.finally(() => {
        isAnswered = true
      })
      while (!isAnswered) {
        for (const { url } of workers)
          await runSql(
            url,
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
          )
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await done
    }

    async function eventuallyAnswered(order: ReturnType<typeof anOrder>) {
      let outcome: Awaited<ReturnType<typeof ledger.store.ledger.award>> | null = null
      await eventually(
        'the replay is answered',
        async () => {
          outcome = await ledger.store.ledger.award(order).catch(() => null)
          return outcome !== null
        },
        { withinMs: 30_000 },
      )
      return outcome!
    }
  })
}
