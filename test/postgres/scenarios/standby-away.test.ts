import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { denyTenant } from '../../../src/partners/allow-tenant.ts'
import { createPartner } from '../../../src/partners/create-partner.ts'
import { revokeKey } from '../../../src/partners/revoke-key.ts'
import { openPostgres } from '../../../src/stores/postgres/open.ts'
import { startPrimaryAndStandby } from '../../chaos/primary-and-standby.ts'
import { type AwardFields, anAwardBody, send } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { startSmallNode } from '../../support/small-node.ts'

const limits = { deadlineMs: 500, answerMaxMs: 1_200 }
const retries = 10
/** Each attempt has its own account: it waits for no lock, and could leave one more waiting session behind. */
const tenants = Array.from({ length: retries }, (_, index) => `t${index + 1}`)
/** Sessions of a node: the concurrent commits when the standby went away, a probe, and the one of /readyz. */
const waitingMax = 2 + 1 + 1

test('three nodes whose synchronous standby goes away and comes back', async (t) => {
  const servers = await startPrimaryAndStandby(t)
  const { url } = await freshPostgres(servers.url)
  const nodes = await Promise.all(
    ['acme', 'globex', 'initech'].map((partnerId) => startSmallNode(t, url, limits, { partnerId, tenants })),
  )
  const credited: AwardFields[][] = []

  const waiting = async () => {
    const query = "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    return (await runSql(servers.url, query))[0].count as number
  }
  /** Three of each node, in one account. */
  const inTenant = (tenantId: string) => nodes.map(() => [1, 2, 3].map(() => anAwardBody({ tenantId })))
  async function award(orders: AwardFields[][]): Promise<number[]> {
    const answers = nodes.flatMap(({ acme }, node) => orders[node]!.map((order) => acme.award(order)))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  /** On a busy machine it may take several attempts. */
  async function untilCredited(orders: AwardFields[][]): Promise<void> {
    const isOk = (status: number) => status < 300
    await eventually('all are credited', async () => (await award(orders)).every(isOk))
    credited.push(...orders)
  }
  const readiness = () => Promise.all(nodes.map(async (node) => (await send(`${node.url}/readyz`)).status))
  const untilAll = (status: number) =>
    eventually(`/readyz is ${status} on all nodes`, async () =>
      (await readiness()).every((found) => found === status),
    )

  for (const how of ['stopped', 'frozen'] as const) {
    await t.test(
      `${how}: awards and /readyz are 503, a bounded number of sessions waits, and all of it ends when it is back`,
      async () => {
        await untilCredited(inTenant('t1'))
        await untilAll(200)
        await servers.loseStandby(how)

        const sent: AwardFields[][][] = []
        let most = 0
        for (const tenantId of tenants) {
          const orders = inTenant(tenantId)
          sent.push(orders)
          deepEqual([...new Set(await award(orders))], [503])
          // An operator can still connect, and sees how many wait.
          most = Math.max(most, await waiting())
        }
        ok(most > 0 && most <= nodes.length * waitingMax, `${most} sessions waited for the standby`)
        await untilAll(503)
        ok((await waiting()) <= nodes.length * waitingMax)

        await servers.findStandby()
        await untilAll(200)
        for (const orders of sent) await untilCredited(orders)
        equal(await waiting(), 0)
      },
    )
  }

  await t.test(
    'a node without traffic notices too: /readyz is 503 without an award, and 200 when the standby is back',
    async (t) => {
      await untilCredited(inTenant('t1')) // a commit that /readyz still relies on for a second
      await servers.loseStandby('stopped')
      const lostAt = systemClock.elapsed()
      await untilAll(503)
      const seconds = (systemClock.elapsed() - lostAt) / 1000
      t.diagnostic(`/readyz was 503 on all nodes ${seconds.toFixed(1)} s after the standby had stopped`)
      ok((await waiting()) <= nodes.length)
      const locked = "FROM pg_locks WHERE relation IN ('entries'::regclass, 'accounts'::regclass)"
      deepEqual(await runSql(url, `SELECT mode ${locked}`), [], 'what waits keeps no CREATE INDEX waiting')
      await servers.findStandby()
      await untilAll(200)
    },
  )

  await t.test('afterwards every order is credited once and the ledger is sound', async () => {
    const [{ count }] = await runSql(url, 'SELECT count(*)::int FROM entries')
    equal(count, credited.flat().length)
    equal((await nodes[0]!.verify()).sound, true)
  })
})

test('while the synchronous standby is away, one of the commands that find their change made waits for it, however many there are', async (t) => {
  const postgres = await startOwnPostgres(t)
  const { url } = await freshPostgres(postgres.url)
  const store = () => openPostgres(url, { answerMaxMs: 500 })
  const stores = await Promise.all([store(), store(), store(), store()])
  t.after(() => Promise.all(stores.map((one) => one.close())))
  const operators = stores.map(({ partners }) => ({ store: partners, actor: 'test', now: 0 }))
  const first = operators[0]!
  const of = { partnerId: 'acme', name: 'Acme', perTx: null, perPartnerDay: null }
  const { keyId } = await createPartner(first, { ...of, tenants: ['t1'] }, Buffer.alloc(32, 7))
  await revokeKey(first, keyId)
  const waiting = async (event: string) =>
    (await runSql(postgres.url, `SELECT FROM pg_stat_activity WHERE ${event}`)).length

  await postgres.set({ synchronous_standby_names: 'berlin' })
  const attempts = operators.flatMap((operator) => [
    rejects(revokeKey(operator, keyId)),
    rejects(denyTenant(operator, 'acme', 'other')),
  ])
  await eventually('one waits for the standby', async () => (await waiting("wait_event = 'SyncRep'")) === 1)
  await Promise.all(attempts)
  await eventually('the others are gone', async () => (await waiting("wait_event_type = 'Lock'")) === 0)
  equal(await waiting("wait_event = 'SyncRep'"), 1)
  await postgres.set({ synchronous_standby_names: null })
  await eventually('none waits', async () => (await waiting("wait_event = 'SyncRep'")) === 0)
  await rejects(revokeKey(first, keyId), /was already revoked/)
})
