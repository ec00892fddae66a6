import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { aFolder, complaintOf, database, textOf } from '../../test/support/command-line.ts'
import { aJournalWriter } from '../../test/support/service-journal.ts'
import { anOrder, openSqliteLedger } from '../../test/support/sqlite-ledger.ts'
import type { Refusal } from '../journal/journal-batch.ts'
import { newJournalKey, openJournalKey, orderFingerprint } from '../journal/journal-key.ts'
import type { AwardCommand } from '../rules/entry.ts'
import { answerIsNo } from './exit-codes.ts'

async function aFolderWithAwards(t: TestContext, awards: Partial<AwardCommand>[]) {
  const folder = await aFolder(t)
  const { store, clock, close } = await openSqliteLedger(t, join(folder.cwd, database))
  for (const award of awards) {
    assert.equal((await store.ledger.award(anOrder(award.orderId!, award))).kind, 'credited')
    clock.advance(1000)
  }
  await close()
  return folder
}

test('find shows an award, without a server and without a search index', async (t) => {
  const { run } = await aFolderWithAwards(t, [{ orderId: 'A1', amount: 5999, note: 'thank you' }])
  const { epTransactionId } = anOrder('A1')
  assert.equal(
    textOf(await run('find', 'A1', '--partner', 'acme')),
    `credited 2026-11-15T05:00:00.000Z
  partner      acme
  tenant       t1
  order        A1
  user         lan@example.vn
  points       5 EP: amount 5,999 at 1,000 per EP, remainder 999
  note         thank you
  transaction  ${epTransactionId} (entry 1 of the account)
`,
  )
  for (const text of [epTransactionId, 'LAN@example.vn'])
    assert.match(textOf(await run('find', text)), /^credited .*\n {2}partner {6}acme\n/)
})

test('find shows why an order was refused, and what it cannot search without the master key', async (t) => {
  const { cwd, run, masterKey } = await aFolder(t)
  const { store, close } = await openSqliteLedger(t, join(cwd, database))
  const journal = aJournalWriter(t, store, assert.fail)
  const key = openJournalKey(masterKey, await journal.storedKey(newJournalKey(masterKey)))
  const refusal: Refusal = {
    at: Date.parse('2026-11-15T05:00:00.000Z'),
    partnerId: 'acme',
    keyId: 'key_1',
    tenantId: 't1',
    endpoint: 'award',
    code: 'DAILY_CAP_EXCEEDED',
    cap: 'perPartnerDay',
    limit: 10,
    requested: 5,
    used: 8,
    requestId: 'request-1',
    orderFingerprint: orderFingerprint(key, 'A1'),
  }
  const batch = {
    node: 'test',
    number: 1,
    at: refusal.at,
    since: refusal.at,
    counts: [],
    replays: [],
    keyUses: [],
  }
  await journal.write({ ...batch, refusals: [refusal] })
  await journal.close()
  await close()
  const expected = `refused 2026-11-15T05:00:00.000Z  DAILY_CAP_EXCEEDED
  perPartnerDay is 10 EP, used 8, requested 5
  partner acme, tenant t1, key key_1
  request request-1
`
  assert.equal(textOf(await run('find', 'A1')), expected)
  assert.equal(textOf(await run('find', 'request-1')), expected)
  const other = await run('find', 'A2')
  assert.equal(other.code, answerIsNo)
  assert.match(other.stdout, /^not in the ledger; no refusal on record since 2026-11-15T05:00:00.000Z /)

  rmSync(join(cwd, 'data/master.key'))
  const { code, stdout } = await run('find', 'A1')
  assert.equal(code, answerIsNo)
  assert.match(
    unfolded(stdout),
    /^not in the ledger \(searched as .* Not searched: refusals of an order, because .*master\.key is missing/,
  )
})

test('find --json prints one document', async (t) => {
  const { json } = await aFolderWithAwards(t, [{ orderId: 'A1' }])
  const { credited, refused, searchedAs, refusalsSince, ...rest } = await json('find', 'A1')
  assert.deepEqual(searchedAs, ['order', 'request'])
  assert.deepEqual([credited.length, credited[0].orderId, credited[0].points], [1, 'A1', 5])
  assert.deepEqual([refused, refusalsSince], [[], null])
  assert.deepEqual(rest, { text: 'A1', hasMoreCredited: false, hasMoreRefused: false, notSearched: [] })
})

test('find of many awards is a table that fits a terminal', async (t) => {
  const long = `long-${'x'.repeat(100)}`
  const awards = ['A1', 'A2', 'A3', long].map((orderId) => ({ orderId, note: 'thank you' }))
  const { run } = await aFolderWithAwards(t, awards)
  const lines = textOf(await run('find', 'lan@example.vn')).split('\n')
  assert.match(lines[0]!, /^credited +partner +tenant +order +EP +amount +note$/)
  assert.match(lines[1]!, /^2026-11-15T05:00:03.000Z +acme +t1 +long-x+ +5 +5,000 +thank you$/)
  for (const line of lines) assert.ok(line.length <= 80, line)
})

test('find ends with 3 if nothing is known', async (t) => {
  const { run } = await aFolder(t)
  const order = await run('find', 'A1')
  assert.equal(order.code, answerIsNo)
  assert.equal(
    order.stdout,
    'not in the ledger; no refusals are on record (searched as orderId, requestId)\n',
  )
  const address = await run('find', 'lan@example.vn', '--as', 'email')
  assert.equal(address.stdout, 'not in the ledger (searched as address)\n')
  const { code, stdout } = await run('find', 'A1', '--json')
  assert.equal(code, answerIsNo)
  assert.deepEqual(JSON.parse(stdout).credited, [])
})

test('find names what is wrong with the question', async (t) => {
  const { run } = await aFolder(t)
  assert.match(
    complaintOf(await run('find', 'A1', '--partner', 'acm'), 1),
    /no partner "acm" \(did you mean "acme"\?\)/,
  )
  assert.match(
    complaintOf(await run('find', 'A1', '--tenant', 't3'), 1),
    /no tenant "t3" \(did you mean "t1"\?\)/,
  )
  assert.match(
    complaintOf(await run('find', 'A1', '--as', 'email'), 2),
    /this is not an e-mail address, such as /,
  )
  assert.match(complaintOf(await run('find', 'A1', '--as', 'person'), 2), /order, email, id, request/)
  assert.match(complaintOf(await run('find', 'a\nb'), 2), /this is not an orderId: .*, nor an e-mail address/)
  assert.match(complaintOf(await run('find'), 2), /missing required argument 'text'/)
})

test('find writes what a terminal would interpret as escapes', async (t) => {
  const orderId = 'A1 \u202e'
  const { run } = await aFolderWithAwards(t, [{ orderId, note: 'line\nbreak\tand \u2028' }])
  const text = textOf(await run('find', orderId))
  assert.match(text, /order {8}A1 \\u\{202e\}\n/)
  assert.match(text, /note {9}line\\u\{a\}break\\u\{9\}and \\u\{2028\}\n/)
})

test('a file beside the ledger that cannot be read hides no award', async (t) => {
  const { cwd, run } = await aFolderWithAwards(t, [{ orderId: 'A1' }])
  const operator = new DatabaseSync(join(cwd, `${database}-operator`))
  operator.exec('PRAGMA journal_mode = WAL; CREATE TABLE read_model (version INTEGER, position INTEGER)')
  operator.close()
  const text = textOf(await run('find', anOrder('A1').epTransactionId, '--as', 'id'))
  assert.match(text, /^credited /)
  assert.match(unfolded(text), / Not searched: refusals, because .*cannot be read/)
})

/** Long lines are folded to the width of the terminal. */
function unfolded(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
