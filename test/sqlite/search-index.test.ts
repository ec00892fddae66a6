import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Database, openDatabase } from '../../src/stores/sqlite/database.ts'
import { followLedger } from '../../src/stores/sqlite/follower/followed-ledger.ts'
import { openReadModel } from '../../src/stores/sqlite/follower/read-model.ts'
import { openLedgerQueries } from '../../src/stores/sqlite/ledger-queries.ts'
import { eventually } from '../support/eventually.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { anOrder, openSqliteLedger } from '../support/sqlite-ledger.ts'
import { databaseOf, exportOf, importInto } from '../support/transfers.ts'

test('a running server keeps the search index, and makes it again when its file was deleted', async (t) => {
  const { acme, config } = await startService(t)
  assert.equal(config.database.kind, 'sqlite')
  const file = `${config.database.kind === 'sqlite' ? config.database.path : ''}-operator`
  /** How many entries it has. A file that is just being made has none. */
  function indexed(): number {
    try {
      const operator = new DatabaseSync(file, { readOnly: true })
      try {
        return operator.prepare('SELECT count(*) AS count FROM by_id').get()!.count as number
      } finally {
        operator.close()
      }
    } catch {
      return 0
    }
  }
  for (const orderId of ['A1', 'A2']) assert.equal((await acme.award({ orderId })).status, 202)
  await eventually('both are in the index', async () => indexed() === 2)
  for (const companion of ['', '-wal', '-shm']) rmSync(`${file}${companion}`, { force: true })
  assert.equal((await acme.award({ orderId: 'A3' })).status, 202)
  await eventually('all three are in the new index', async () => indexed() === 3)
})

test("in an imported ledger, whose rows are in the order of its accounts, a user's newest awards are found", async (t) => {
  const folder = temporaryFolder(t)
  const [source, path] = [join(folder, 'source.db'), join(folder, 'imported.db')]
  const { store, clock, close } = await openSqliteLedger(t, source)
  for (const partnerId of ['globex', 'acme']) {
    for (const orderId of ['first', 'second', 'third']) {
      clock.advance(1000)
      await store.ledger.award(anOrder(`${partnerId} ${orderId}`, { partnerId }))
    }
  }
  await close()
  await importInto(databaseOf(`sqlite:${path}`), await exportOf(databaseOf(`sqlite:${source}`)))

  const { userEmail, tenantId } = anOrder('any')
  async function newestTwo(): Promise<string[]> {
    const queries = openLedgerQueries(path)
    try {
      const slow = { say: assert.fail, show: () => {} }
      const found = await queries.entriesOfAddress({ userEmail, tenantId }, 2, slow)
      return found.map(({ orderId }) => orderId)
    } finally {
      await queries.close()
    }
  }
  assert.deepEqual(await newestTwo(), ['acme third', 'acme second'], 'without the search index')

  const [operator, ledger] = [new Database(`${path}-operator`), openDatabase(path, { readOnly: true })]
  operator.exec('PRAGMA journal_mode = WAL')
  t.after(() => {
    operator.close()
    ledger.close()
  })
  const model = openReadModel(operator, followLedger(ledger))
  while (model.follow() > 0);
  assert.deepEqual(await newestTwo(), ['acme third', 'acme second'], 'with the search index')
})

test('a search ends although somebody gave an entry a place far behind the others', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, close } = await openSqliteLedger(t, path)
  for (const orderId of ['first', 'second']) await store.ledger.award(anOrder(orderId))
  await close()
  const raw = new DatabaseSync(path)
  raw.exec(
    `DROP TRIGGER entries_are_never_changed; UPDATE entries SET rowid = ${2 ** 52} WHERE order_id = 'second'`,
  )
  raw.close()

  const queries = openLedgerQueries(path)
  t.after(() => queries.close())
  let steps = 0
  const show = () => assert.ok(++steps < 10, 'it reads places where there is nothing')
  const { epTransactionId } = anOrder('first')
  const found = await queries.entriesOfId(epTransactionId, { say: () => {}, show })
  assert.deepEqual(
    found.map(({ orderId }) => orderId),
    ['first'],
  )
})
