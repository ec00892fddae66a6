import { deepEqual, ok, rejects } from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { openLedgerQueries } from '../../src/stores/postgres/ledger-queries.ts'
import { openPostgres, readPostgres, servePostgres } from '../../src/stores/postgres/open.ts'
import { checkPooler } from '../../src/stores/postgres/pooler-check.ts'
import { anAwardBody } from '../support/client.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { databaseOfOwnRole } from '../support/own-role.ts'
import { startService } from '../support/service.ts'
import { startSessionPooler } from '../support/session-pooler.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'

const database = await freshPostgres()
after(() => database.remove())

test('a server refuses to start behind a pooler that breaks prepared statements, and says what to do', async (t) => {
  const url = await startTransactionPooler(t, database.url)
  for (let start = 0; start < 3; start++) {
    const serving = servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
    await rejects(serving, /pooler that breaks prepared statements.*directly.*session mode.*1\.21/)
  }
})

test("behind one that carries them along, a server starts where the role's search_path begins with the ledger, warns, and credits once", async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const throughPooler = () => startTransactionPooler(t, url, { carriesStatements: true })
  await rejects(
    async () => servePostgres(await throughPooler(), { caps: {}, clock: systemClock, warn: () => {} }),
    /pooler in transaction mode.*"\$user", public: set it to the ledger's schema/,
  )

  await runSql(database.url, `ALTER ROLE ${role} SET search_path = public`)
  const ofOneNode = { nodes: 1, database }
  const { acme, log } = await startService(t, { DATABASE_URL: await throughPooler() }, ofOneNode)
  ok(log.some((line) => /leads to a pooler in transaction mode: .* found by polling/.test(line)))
  const orders = Array.from({ length: 50 }, () => anAwardBody())
  const sendAll = async () => {
    const answers = await Promise.all(orders.map((order) => acme.award(order)))
    return new Set(answers.map(({ status, body }) => `${status} ${body.code}`))
  }
  deepEqual(await sendAll(), new Set(['202 undefined']))
  deepEqual(await sendAll(), new Set(['200 DUPLICATE']))
})

const limits = { answerMaxMs: 5_000, connectMaxMs: 5_000 }

for (const withoutPlace of ['waits', 'is closed', 'gets an error'] as const) {
  test(`a server refuses to start behind a pooler without a place for its next connection, which ${withoutPlace}, and says what to do`, async (t) => {
    const url = await startSessionPooler(t, database.url, { places: 1, withoutPlace })
    const checking = checkPooler(url, { ...limits, answerMaxMs: 500 })
    await rejects(checking, /one connection, but not on more.*pool is probably too small.*17.*raise its size/)
  })
}

for (const withoutPlace of ['is closed', 'gets an error'] as const) {
  test(`a command that gets no place in the pool, and ${withoutPlace}, says what is probably wrong`, async (t) => {
    const url = await startSessionPooler(t, database.url, { places: 0, withoutPlace })
    for (const start of [() => openPostgres(url), () => readPostgres(url), () => openLedgerQueries(url)])
      await rejects(start, /^Error: the database .*pool is probably too small.*raise its size/)
  })
}

test('a pooler in session mode with enough places is used without a warning', async (t) => {
  const url = await startSessionPooler(t, database.url, { places: 2, withoutPlace: 'waits' })
  deepEqual(await checkPooler(url, limits), [])
})

test('PostgreSQL itself is not taken for a pooler', async () => {
  deepEqual(await checkPooler(database.url, limits), [])
})
