import { equal, match, ok, rejects } from 'node:assert/strict'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { verifyLedger } from '../../../src/proof/verify.ts'
import { createOperator } from '../../../src/operator/access/operators.ts'
import { createPasswords } from '../../../src/operator/access/passwords.ts'
import { createPartner } from '../../../src/partners/create-partner.ts'
import { openPostgres, readPostgres } from '../../../src/stores/postgres/open.ts'
import { anAwardBody, type AwardFields, createClient, send } from '../../support/client.ts'
import { ConsoleBrowser } from '../../support/console-browser.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { startServerProcess } from '../../support/server-process.ts'

test('a server of ours whose database goes away', async (t) => {
  const postgres = await startOwnPostgres(t)
  const database = await freshPostgres(postgres.url)
  const masterKey = Buffer.alloc(32, 7)
  const store = await openPostgres(database.url)
  const acmeKey = await createPartner(
    { store: store.partners, actor: 'test', now: 0 },
    { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null },
    masterKey,
  )
  const passwords = createPasswords({ memory: 32, passes: 1, parallelism: 1 })
  const change = { accounts: store.operators, passwords, by: { actor: 'test', now: 0 } }
  const mai = { operatorId: 'mai', role: 'viewer', password: 'correct horse battery' } as const
  await createOperator(change, mai)
  await store.close()
  const environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey.toString('base64') }
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, acmeKey, systemClock)

  /** Everything that was acknowledged, with its id. */
  const acknowledged = new Map<AwardFields, string>()
  /** How long each 503 took, in milliseconds. */
  let waits: number[] = []
  /** And each 202: what this machine takes for an award. */
  let usual: number[] = []
  async function award(order = anAwardBody()): Promise<number> {
    const startedAt = performance.now()
    const { status, body } = await acme.award(order)
    const tookMs = performance.now() - startedAt
    if (status < 300) {
      acknowledged.set(order, body.epTransactionId)
      usual.push(tookMs)
    } else {
      equal(status, 503)
      waits.push(tookMs)
    }
    return status
  }
  const readiness = async () => (await send(`${server.url}/readyz`)).status
  const isReady = async () => (await readiness()) === 200
  async function assertNothingLost(): Promise<void> {
    for (const [order, id] of acknowledged) {
      const { body } = await acme.award(order)
      equal(`${body.code} ${body.epTransactionId}`, `DUPLICATE ${id}`)
    }
    const snapshot = await readPostgres(database.url)
    const { sound, fault } = await verifyLedger(snapshot, () => {})
    await snapshot.close()
    equal(sound, true, fault ?? '')
  }

  const signIn = () => new ConsoleBrowser(server.operatorUrl).signIn(mai.operatorId, mai.password)

  await t.test(
    'an operator cannot sign in meanwhile, is told why and when to try again, and can afterwards',
    async () => {
      equal((await signIn()).status, 200)
      await postgres.stop()
      const { status, headers, body } = await signIn()
      equal(`${status} ${body.code} ${headers.get('retry-after')}`, '503 UNAVAILABLE 1')
      match(body.detail, /the database (does not respond|cannot be reached)/)
      await postgres.start()
      await eventually('signed in', async () => (await signIn()).status === 200, { withinMs: 10_000 })
    },
  )

  await t.test(
    'responds with 503 within a second, is ready again within five, and has lost nothing',
    async () => {
      // On a busy machine a response may be late by chance, but not in every round.
      const slowest: number[] = []
      while (slowest.length < 2 || (Math.min(...slowest) >= 1000 && slowest.length < 6)) {
        waits = []
        usual = []
        equal(await award(), 202)
        const stopped = new AbortController()
        const load = Array.from({ length: 4 }, async () => {
          while (!stopped.signal.aborted) await award()
        })
        const before = acknowledged.size
        await eventually('awards are made', () => acknowledged.size > before + 20)
        await postgres.stop()

        stopped.abort()
        await Promise.all(load)
        const refused = anAwardBody()
        for (let attempt = 0; attempt < 3; attempt++) {
          equal(await award(refused), 503)
          const startedAt = performance.now()
          assertUnavailable(await acme.history('t1'))
          waits.push(performance.now() - startedAt)
        }
        slowest.push(Math.max(...waits) / slowness(usual))
        await eventually('not ready', async () => (await readiness()) === 503)
        equal((await send(`${server.url}/livez`)).status, 200)

        await postgres.start()
        await eventually('ready again', isReady, { withinMs: 5_000 })
        equal(await award(refused), 202)
      }
      ok(Math.min(...slowest) < 1000, `the slowest 503 of each round, in ms of a machine of ours: ${slowest}`)
      await assertNothingLost()
    },
  )

  await t.test(
    'is not ready while it has come back as a read-only standby, and decides nothing',
    async () => {
      const known = anAwardBody()
      equal(await award(known), 202)
      const entries = async () => (await runSql(database.url, 'SELECT count(*)::int FROM entries'))[0].count
      const before = await entries()
      const signal = join(postgres.folder, 'standby.signal')
      await postgres.stop()
      await writeFile(signal, '')
      await chmod(signal, 0o666)
      await postgres.start()
      equal((await runSql(database.url, 'SELECT pg_is_in_recovery() AS standby'))[0].standby, true)

      const reasons = () => send(`${server.operatorUrl}/readyz`)
      await eventually('not ready', async () => (await reasons()).status === 503)
      const notReady = await reasons()
      assertUnavailable(notReady, 'operator')
      ok(notReady.body.detail.includes('read-only standby'), notReady.text)
      const fresh = anAwardBody()
      for (const order of [fresh, known]) assertUnavailable(await acme.award(order))
      equal(await entries(), before)
      await rejects(startServerProcess(environment), /the database cannot be used: it is a read-only standby/)

      await postgres.stop()
      await rm(signal, { force: true })
      await postgres.start()
      await eventually('ready again', isReady, { withinMs: 5_000 })
      equal(await award(fresh), 202)
      await assertNothingLost()
    },
  )

  await t.test('ends as it should, without a crash on the way', async () => {
    equal(await server.end('SIGTERM'), 0)
  })
})

/** How many times slower than ours this machine is at the moment; less than 1 counts as 1. An award takes ours up to 20 ms. */
function slowness(awardMs: number[]): number {
  const median = awardMs.toSorted((a, b) => a - b)[awardMs.length >> 1]!
  return Math.max(1, median / 20)
}
