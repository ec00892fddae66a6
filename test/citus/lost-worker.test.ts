import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { Unavailable } from '../../src/ledger/errors.ts'
import { serveStore } from '../../src/stores/open.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { send } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { citusUrl } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'
import { makePartner } from '../support/operators.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { startSmallNode } from '../support/small-node.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

if (citusUrl !== undefined) {
  describe('while a worker of a Citus cluster is away', async () => {
    const nodeCleanUp = new AsyncDisposableStack()
    const ledger = await aCitusLedger({
      after: (close) =>
        after(async () => {
          await nodeCleanUp.disposeAsync()
          await close()
        }),
    })
    const { url, workers } = ledger
    const node = await startSmallNode({ after: (close) => nodeCleanUp.defer(async () => close()) }, url, {
      answerMaxMs: 8_000,
    })
    const { acme } = node
    const { verify } = ledger
    const ready = () => send(`${node.operatorUrl}/readyz`)
    const credits = async () => (await acme.award()).status === 202
    const withinMs = 60_000

    test('an award is 503 with Retry-After, not a bug, and is credited when the worker is back', async () => {
      await eventually('the first award', credits, { withinMs })
      for (const worker of workers) worker.goAway()
      for (let order = 0; order < 3; order++) assertUnavailable(await acme.award())
      for (const worker of workers) worker.comeBack()
      await eventually('an award is credited', credits, { withinMs })
    })

    test('awards under way when connections to workers break fail with 503 or not at all, and nothing is lost', async () => {
      const load = ledger.startLoad()
      for (let round = 0; round < 2; round++) {
        const worker = workers[round % workers.length]!
        await runSql(
          worker.url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'citus_internal%'",
        )
        worker.goAway()
        worker.comeBack()
        await eventually('awards go on', credits, { withinMs })
      }
      const { credited, failures } = await load.stop()
      deepEqual(
        failures.filter((error) => !(error instanceof Unavailable)).map(({ message }) => message),
        [],
      )
      ok(credited > 0)
      equal((await verify()).fault, null)
    })

    test('awards that do not need it are credited, also if they arrive together with those that do', async () => {
      const accounts = await accountsThere()
      const results = new Map<boolean, Set<string>>([
        [true, new Set()],
        [false, new Set()],
      ])
      workers[0]!.goAway()
      try {
        for (let round = 0; round < 5; round++) {
          const sent = accounts.map(async ({ needsFirst, ...account }) => {
            const order = anOrder(`apart-${account.tenantId}-${round}`, account)
            const outcome = await ledger.store.ledger.award(order).catch((error: Error) => error)
            results.get(needsFirst)!.add(outcome instanceof Error ? outcome.constructor.name : outcome.kind)
          })
          await Promise.all(sent)
        }
      } finally {
        workers[0]!.comeBack()
      }
      deepEqual(results.get(false), new Set(['credited']))
      deepEqual(results.get(true), new Set(['Unavailable']))
      await eventually('an award is credited', credits, { withinMs })
    })

    /** All accounts, and whether their own rows or those of their users are on the first worker. */
    async function accountsThere() {
      return (await runSql(
        url,
        `SELECT partner_id AS "partnerId", tenant_id AS "tenantId", 1 IN (
             SELECT dense_rank FROM (
               SELECT groupid, dense_rank() OVER (ORDER BY groupid) FROM pg_dist_node WHERE groupid > 0) AS workers
             JOIN pg_dist_placement USING (groupid)
             WHERE shardid IN (get_shard_id_for_distribution_column('accounts', partner_id),
               get_shard_id_for_distribution_column('user_days', tenant_id))) AS "needsFirst"
           FROM grants WHERE partner_id <> 'acme'`,
      )) as { partnerId: string; tenantId: string; needsFirst: boolean }[]
    }

    test('settings can be changed and a server can start, which says who is away', async () => {
      const [first] = workers
      first!.goAway()
      try {
        const operator = { store: ledger.store.partners, actor: 'test', now: systemClock.now() }
        await makePartner(operator, { partnerId: 'late', name: 'Late', tenants: ['t1'] })
        const warnings: string[] = []
        const another = await serveStore(ledger.database, {
          caps: {},
          clock: systemClock,
          warn: (message) => void warnings.push(message),
        })
        await another.ledger.close()
        await another.close()
        match(warnings.join('\n'), /the worker 127\.0\.0\.1:\d+ takes no commits \(failed to connect/)
      } finally {
        first!.comeBack()
      }
    })

    test('/readyz names it in warnings, and is 503 when no worker is left', async () => {
      const [first, ...others] = workers
      first!.goAway()
      await eventually(
        'the worker is named',
        async () => {
          const { status, body } = await ready()
          return status === 200 && /takes no commits \(failed to connect/.test(body.warnings.join())
        },
        { withinMs },
      )
      for (const worker of others) worker.goAway()
      await eventually('not ready', async () => (await ready()).status === 503, { withinMs })
      for (const worker of workers) worker.comeBack()
      await eventually(
        'ready, and nobody is away',
        async () => {
          const { status, body } = await ready()
          return status === 200 && !/takes no commits/.test(body.warnings.join())
        },
        { withinMs },
      )
    })

    test('verify waits for what a crash has left between the two phases of a commit', async () => {
      await eventually('an award is credited', credits, { withinMs })
      const worker = workers[0]!.url
      const prepared =
        "SELECT gid FROM pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus%'"
      await runSql(worker, "BEGIN; CREATE TABLE left_behind (); PREPARE TRANSACTION 'citus_0_999999_1_0'")
      equal((await runSql(worker, prepared)).length, 1)
      equal((await verify()).fault, null)
      equal((await runSql(worker, prepared)).length, 0, 'Citus has undone it by then')
    })
  })
}
