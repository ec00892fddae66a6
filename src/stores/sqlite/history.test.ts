import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger } from '../../../test/support/sqlite-ledger.ts'
import { Unavailable } from '../../ledger/errors.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { HistoryPage } from '../../rules/history-page.ts'
import { awardTogether } from '../../../test/support/award-together.ts'

const newest = { partnerId: 'acme', tenantId: 't1', beforeSeq: null, limit: 3 }

async function ordersOn(ledger: Ledger, query = {}): Promise<string[]> {
  const page: HistoryPage = JSON.parse(await ledger.historyPage({ ...newest, ...query }))
  return page.items.map(({ orderId }) => orderId)
}

test('history comes newest first, from below a number, and only of one account', async (t) => {
  const { store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  for (let n = 1; n <= 5; n++) {
    await store.ledger.award(anOrder(`A${n}`))
    await store.ledger.award(anOrder(`B${n}`, { tenantId: 't2' }))
    await store.ledger.award(anOrder(`G${n}`, { partnerId: 'globex' }))
  }
  assert.deepEqual(await ordersOn(store.ledger), ['A5', 'A4', 'A3'])
  assert.deepEqual(await ordersOn(store.ledger, { beforeSeq: 3 }), ['A2', 'A1'])
  assert.deepEqual(await ordersOn(store.ledger, { beforeSeq: 1 }), [])
  assert.deepEqual(await ordersOn(store.ledger, { tenantId: 't9' }), [])
})

test('a page shows what was acknowledged a moment ago', async (t) => {
  const { store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  for (let n = 1; n <= 200; n++) {
    await store.ledger.award(anOrder(`A${n}`))
    assert.deepEqual(await ordersOn(store.ledger, { limit: 1 }), [`A${n}`])
  }
})

test('a page leaves the event loop free: requests are served while it is read', async (t) => {
  const { store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  let answered = false
  const page = store.ledger.historyPage(newest).then(() => {
    answered = true
  })
  // What is read in place is answered before the event loop turns; a thread is heard only when it does.
  for (let step = 0; step < 20; step++) await Promise.resolve()
  assert.equal(answered, false)
  await page
})

test('of pages that are requested at once, each is the one that was requested', async (t) => {
  const { store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const orders = Array.from({ length: 100 }, (_, index) => `A${index + 1}`)
  await awardTogether(
    store.ledger,
    orders.map((order) => anOrder(order)),
  )
  const pages = orders.map((_, index) => ordersOn(store.ledger, { beforeSeq: index + 2, limit: 1 }))
  assert.deepEqual((await Promise.all(pages)).flat(), orders)
})

test('a flood of pages of one partner delays the page of another by a turn, not by its length', async (t) => {
  const { store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await store.ledger.historyPage(newest)
  let answered = 0
  const flood = Array.from({ length: 500 }, () => store.ledger.historyPage(newest).then(() => answered++))
  await store.ledger.historyPage({ ...newest, partnerId: 'globex' })
  assert.ok(answered < 250, `${answered} of 500 pages came first`)
  await Promise.all(flood)
})

test('a file that was moved away is Unavailable; when it is back the next page is read', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await awardTogether(store.ledger, [anOrder('A1')])
  renameSync(path, `${path}.old`)
  const pages = await Promise.allSettled([1, 2, 3].map(() => store.ledger.historyPage(newest)))
  for (const page of pages) {
    assert.equal(page.status, 'rejected')
    assert.ok(page.reason instanceof Unavailable)
    assert.match(page.reason.message, /moved or replaced/)
  }
  renameSync(`${path}.old`, path)
  assert.deepEqual(await ordersOn(store.ledger), ['A1'])
})

test('a file that cannot be opened is Unavailable, without its path; when it can be the next page is read', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await awardTogether(store.ledger, [anOrder('A1')])
  renameSync(`${path}-wal`, `${path}-wal.old`)
  mkdirSync(`${path}-wal`) // not a file, let alone a log
  await assert.rejects(store.ledger.historyPage(newest), {
    constructor: Unavailable,
    message: 'the database file cannot be used',
  })
  rmdirSync(`${path}-wal`)
  renameSync(`${path}-wal.old`, `${path}-wal`)
  assert.deepEqual(await ordersOn(store.ledger), ['A1'])
})

test('closing waits for the pages that were asked for, and later ones are Unavailable', async (t) => {
  const { store, close } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await awardTogether(store.ledger, [anOrder('A1')])
  const pages = Array.from({ length: 20 }, () => ordersOn(store.ledger))
  const closing = close()
  assert.deepEqual((await Promise.all(pages)).flat(), Array(20).fill('A1'))
  await closing
  await assert.rejects(store.ledger.historyPage(newest), Unavailable)
})
