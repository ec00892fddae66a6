import assert from 'node:assert/strict'
import { linkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { writePage } from '../../../test/support/write-page.ts'
import { Unavailable } from '../../ledger/errors.ts'
import type { HistoryPage } from '../../rules/history-page.ts'
import { openSqlite } from './open.ts'
import { awardTogether } from '../../../test/support/award-together.ts'

test('awards of all accounts wait for the same commit, because a file has one writer', async (t) => {
  const { store, clock, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const accounts = [
    { partnerId: 'acme', tenantId: 't1' },
    { partnerId: 'acme', tenantId: 't2' },
    { partnerId: 'globex', tenantId: 't1' },
  ]
  const awards = []
  for (const [index, account] of accounts.entries()) {
    awards.push(store.ledger.award(anOrder(`A${index}`, account)))
    await nextTurn()
    clock.advance(1000)
  }
  other.exec('ROLLBACK')
  await Promise.all(awards)
  const times = accounts.map(async (account) => {
    const page = await store.ledger.historyPage({ ...account, beforeSeq: null, limit: 1 })
    return (JSON.parse(page) as HistoryPage).items[0]!.awardedAt
  })
  const [first, second, third] = await Promise.all(times)
  assert.notEqual(first, second)
  assert.equal(second, third, 'those that came during the first commit share the next')
})

test('outcomes come in the order of the commands, and later commits see earlier ones', async (t) => {
  const { store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const kinds = async (orders: ReturnType<typeof anOrder>[]) =>
    (await awardTogether(store.ledger, orders)).map(({ kind }) => kind)
  const first = kinds([anOrder('A1'), anOrder('small', { amount: 1 }), anOrder('A1')])
  const second = kinds([anOrder('A2'), anOrder('A1')])
  assert.deepEqual(await first, ['credited', 'rejected', 'duplicate'])
  assert.deepEqual(await second, ['credited', 'duplicate'])
})

test('a commit leaves the event loop free: requests are served while it waits for the file', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  let answered = false
  const commit = awardTogether(store.ledger, [anOrder('A1')]).then(() => {
    answered = true
  })
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  assert.equal(answered, false)
  other.exec('ROLLBACK')
  await commit
})

test('a bug that one award sets off harms none of its batch', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await store.ledger.award(anOrder('A1'))
  const bad = anOrder('bad', { note: ['no text'] as unknown as string })
  const answers = await Promise.allSettled([anOrder('A2'), bad, anOrder('A3')].map(store.ledger.award))
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.kind : 'failed')),
    ['credited', 'failed', 'credited'],
  )
  assert.match(String((answers[1] as PromiseRejectedResult).reason), /cannot be bound/)
  const { sound, entries } = await verifyFile(path)
  assert.deepEqual({ sound, entries }, { sound: true, entries: 3 })
})

test('a page that is damaged for some users harms no others, also in the same batch', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const users = Array.from({ length: 300 }, (_, index) => `user-${index}@example.com`)
  const ordersOf = (name: string) =>
    users.map((userEmail, index) => anOrder(`${name}${index}`, { userEmail, amount: 1000 }))
  const first = await openSqliteLedger(t, path)
  await awardTogether(first.store.ledger, ordersOf('A'))
  await first.close()
  writePage(path, { page: aLeafOf('user_days', path), byte: 0 })
  const { store } = await openSqliteLedger(t, path)
  const answers = await Promise.allSettled(ordersOf('B').map(store.ledger.award))
  const failures = answers.filter((answer) => answer.status === 'rejected')
  assert.ok(failures.length > 0 && failures.length < users.length / 2, `${failures.length} failures`)
  for (const { reason } of failures) {
    assert.ok(reason instanceof Unavailable)
    assert.match(reason.message, /the database is damaged/)
  }
})

function aLeafOf(table: string, path: string): number {
  const file = new DatabaseSync(path)
  const leaf = file
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno DESC")
    .get(table)
  file.close()
  return Number(leaf!.pageno)
}

test('what was credited is a duplicate after the server has stopped and another has started', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const first = await openSqliteLedger(t, path)
  const original = await first.store.ledger.award(anOrder('A1'))
  await first.close()
  const second = await openSqliteLedger(t, path)
  const { epTransactionId, points } = original as Extract<typeof original, { kind: 'credited' }>
  const replay = { ...anOrder('A1'), epTransactionId: 'another-id' }
  const awardedAt = first.clock.now()
  const duplicate = { kind: 'duplicate', epTransactionId, points, awardedAt }
  assert.deepEqual(await second.store.ledger.award(replay), duplicate)
})

test('while another process holds the file, awards are Unavailable and the ledger is not ready; then both work again', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await store.ledger.ready()
  const holder = new DatabaseSync(path)
  t.after(() => holder.close())
  holder.exec('BEGIN IMMEDIATE')
  const attempts = [
    awardTogether(store.ledger, [anOrder('A1')]),
    awardTogether(store.ledger, [anOrder('A2')]),
  ]
  const answers = await Promise.allSettled(attempts)
  for (const answer of answers) {
    assert.equal(answer.status, 'rejected')
    assert.ok((answer as PromiseRejectedResult).reason instanceof Unavailable)
  }
  await assert.rejects(store.ledger.ready(), Unavailable)
  holder.exec('ROLLBACK')
  await store.ledger.ready()
  assert.equal((await awardTogether(store.ledger, [anOrder('A1')]))[0]!.kind, 'credited')
})

test('an idle ledger that could not make an award durable is not ready, before any award has failed', async (t) => {
  const { store, path, clock } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const holder = new DatabaseSync(path)
  t.after(() => holder.close())
  holder.exec('BEGIN IMMEDIATE')
  clock.advance(1_000)
  await assert.rejects(store.ledger.ready(), Unavailable)
  holder.exec('ROLLBACK')
  await store.ledger.ready()
})

test('closing waits for the commits that were asked for', async (t) => {
  const { store, path, close } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const commits = ['A1', 'A2', 'A3'].map((order) => awardTogether(store.ledger, [anOrder(order)]))
  await close()
  for (const outcomes of await Promise.all(commits)) assert.equal(outcomes[0]!.kind, 'credited')
  assert.equal((await verifyFile(path)).entries, 3)
})

for (const opened of ['by its name', 'by a link'])
  test(`a file that is opened ${opened} and was moved away is not the same one behind a link at its old place: its log would be another one`, async (t) => {
    const folder = temporaryFolder(t)
    const [file, moved, link] = ['ledger.db', 'moved.db', 'link.db'].map((name) => join(folder, name))
    symlinkSync(file!, link!)
    await openSqlite(file!).close()
    const { store } = await openSqliteLedger(t, opened === 'by a link' ? link! : file!)
    await awardTogether(store.ledger, [anOrder('A1')])
    renameSync(file!, moved!)
    symlinkSync(moved!, file!)
    const fault = await awardTogether(store.ledger, [anOrder('A2')]).catch((error) => error)
    assert.match(fault.message, /moved or replaced: put it back, .* and restart/)
    await assert.rejects(store.ledger.ready(), Unavailable)
  })

test('on a file that was moved away nothing is acknowledged, and the server is not ready, until it is restarted', async (t) => {
  const { store, path, close } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await awardTogether(store.ledger, [anOrder('A1')])
  renameSync(path, `${path}.old`)
  const refused = async (order: string) => {
    const fault = await awardTogether(store.ledger, [anOrder(order)]).catch((error) => error)
    assert.ok(fault instanceof Unavailable)
    assert.match(fault.message, /moved or replaced: put it back, .* and restart/)
  }
  for (const order of ['A2', 'A3']) await refused(order)
  await assert.rejects(store.ledger.ready(), Unavailable)

  // Where it was, another server may have written to it: its pages and its log need not be the ones we know.
  renameSync(`${path}.old`, path)
  await refused('A4')
  await assert.rejects(store.ledger.ready(), Unavailable)
  await close()
  const second = await openSqliteLedger(t, path)
  const again = await awardTogether(
    second.store.ledger,
    ['A2', 'A3', 'A4'].map((order) => anOrder(order)),
  )
  assert.deepEqual(
    again.map(({ kind }) => kind),
    ['duplicate', 'credited', 'credited'], // the first was under way when it was noticed, the others were not tried
  )
  assert.equal((await verifyFile(path)).entries, 4)
})

test('while the file has a second name nothing is acknowledged, and the server is not ready; without it both work again', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await awardTogether(store.ledger, [anOrder('A1')])
  linkSync(path, `${path}.link`)
  await assert.rejects(awardTogether(store.ledger, [anOrder('A2')]), {
    constructor: Unavailable,
    message: /the file has 2 names \(hard links\).*remove all but one/,
  })
  await assert.rejects(store.ledger.ready(), Unavailable)
  rmSync(`${path}.link`)
  await store.ledger.ready()
  assert.equal((await awardTogether(store.ledger, [anOrder('A3')]))[0]!.kind, 'credited')
  assert.equal((await verifyFile(path)).entries, 3)
})

test('somebody has changed a table so that awards fail, and the probe does not: not ready after three in a row, until one is credited', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec("CREATE TRIGGER other BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'not today'); END")
  const fails = (name: string) => assert.rejects(store.ledger.award(anOrder(name)), /not today/)
  for (const name of ['A1', 'A2']) await fails(name)
  await store.ledger.ready()
  await fails('A3')
  await assert.rejects(store.ledger.ready(), /awards fail: an unexpected error: not today/)
  other.exec('DROP TRIGGER other')
  await store.ledger.award(anOrder('A4'))
  await store.ledger.ready()
})

test('a batch that is tried again, award by award, counts as one that failed', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec("CREATE TRIGGER other BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'not today'); END")
  const awards = ['A1', 'A2', 'A3', 'A4'].map((name) => store.ledger.award(anOrder(name)))
  for (const award of awards) await assert.rejects(award, /not today/)
  await store.ledger.ready()
})
