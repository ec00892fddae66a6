import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Slow } from '../../../answers/ledger-queries.ts'
import type { Entry } from '../../../rules/entry.ts'
import { anOrder, openSqliteLedger, type SqliteLedger } from '../../../../test/support/sqlite-ledger.ts'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { dayOf } from '../../../../test/support/plain-ledger.ts'
import { integerBelow, oneOf, seededRandom } from '../../../../test/support/seeded-random.ts'
import { Database, openDatabase } from '../database.ts'
import { openLedgerQueries } from '../ledger-queries.ts'
import { followLedger } from './followed-ledger.ts'
import { openReadModel, type ReadModel } from './read-model.ts'

/** So small that a few dozen entries take every path. */
const sizes = { entriesMax: 7, readMax: 3, rowsMax: 20, runsMax: 100, moveMax: 6 }
const users = ['lan@example.vn', 'mai@example.vn', 'minh@example.vn']
const accounts = [
  { partnerId: 'acme', tenantId: 't1' },
  { partnerId: 'acme', tenantId: 't2' },
  { partnerId: 'globex', tenantId: 't1' },
]
const loud: Slow = { say: (why) => assert.fail(why), show: () => {} }

function followed(path: string, small = sizes): { model: ReadModel; operator: Database; close(): void } {
  const operator = new Database(`${path}-operator`)
  operator.exec('PRAGMA journal_mode = WAL')
  const ledger = openDatabase(path, { readOnly: true })
  const close = () => {
    operator.close()
    ledger.close()
  }
  return { model: openReadModel(operator, followLedger(ledger), small), operator, close }
}

async function awarded({ store, clock }: SqliteLedger, t: TestContext, count: number, name = 'order') {
  const random = seededRandom(t)
  for (let index = 0; index < count; index++) {
    const userEmail = oneOf(random, users)
    const amount = 1000 + integerBelow(random, 9000)
    await store.ledger.award(anOrder(`${name}-${index}`, { ...oneOf(random, accounts), userEmail, amount }))
    clock.advance(integerBelow(random, 6 * 3_600_000))
  }
}

async function entriesOf(path: string): Promise<Entry[]> {
  const queries = openLedgerQueries(path)
  const entries: Entry[] = []
  for (const account of accounts) {
    for await (const page of queries.entriesIn({ ...account, firstSeq: 1, lastSeq: 10_000 }))
      entries.push(...page)
  }
  await queries.close()
  return entries
}

const named = (entries: Entry[]) =>
  entries.map(({ epTransactionId }) => epTransactionId).sort((a, b) => a.localeCompare(b))

/** Every id and every user is found, and nothing else, wherever the read model is; and every day adds up. */
async function assertAllFound(path: string): Promise<void> {
  const entries = await entriesOf(path)
  const queries = openLedgerQueries(path)
  const days = entries.map(({ awardedAt }) => dayOf(awardedAt))
  const [first, last] = [Math.min(...days), Math.max(...days)]
  const period = last - first > 1 ? { from: first + 1, to: last } : { from: first, to: last }
  for (const filter of [{}, { partnerId: 'acme' }, { tenantId: 't1' }, ...accounts]) {
    const found = (await Array.fromAsync(queries.accountDays({ ...filter, ...period }))).flat()
    assert.deepEqual(
      found.map((day) => ({ ...day })),
      daysOf(
        entries.filter((entry) => isIn(entry, filter)),
        period,
      ),
    )
  }
  for (const { epTransactionId } of entries)
    assert.deepEqual(named(await queries.entriesOfId(epTransactionId, loud)), [epTransactionId])
  for (const userEmail of users) {
    const all = entries.filter((entry) => entry.userEmail === userEmail)
    assert.deepEqual(named(await queries.entriesOfAddress({ userEmail }, 10_000, loud)), named(all))
    for (const account of accounts) {
      const own = all.filter(({ tenantId }) => tenantId === account.tenantId)
      const { tenantId } = account
      assert.deepEqual(
        named(await queries.entriesOfAddress({ userEmail, tenantId }, 10_000, loud)),
        named(own),
      )
      const ofPartner = own.filter(({ partnerId }) => partnerId === account.partnerId)
      const found = await queries.entriesOfAddress({ userEmail, ...account }, 10_000, loud)
      assert.deepEqual(named(found), named(ofPartner))
    }
  }
  assert.deepEqual(await queries.entriesOfId('019a0000-0000-7000-8000-ffffffffffff', loud), [])
  assert.deepEqual(await queries.entriesOfAddress({ userEmail: 'nobody@example.vn' }, 10, loud), [])
  await queries.close()
}

function isIn(entry: Entry, { partnerId, tenantId }: { partnerId?: string; tenantId?: string }): boolean {
  return (partnerId ?? entry.partnerId) === entry.partnerId && (tenantId ?? entry.tenantId) === entry.tenantId
}

/** As one would add them up on paper; the entries are in the order of their accounts. */
function daysOf(entries: Entry[], { from, to }: { from: number; to: number }) {
  const days = Map.groupBy(entries, (e) => `${e.partnerId} ${e.tenantId} ${dayOf(e.awardedAt)}`)
  return [...days.values()]
    .map((own) => {
      const { partnerId, tenantId, awardedAt } = own[0]!
      const sum = (value: (entry: Entry) => number) => own.reduce((sum, entry) => sum + value(entry), 0)
      return {
        partnerId,
        tenantId,
        day: dayOf(awardedAt),
        firstSeq: own[0]!.seq,
        lastSeq: own.at(-1)!.seq,
        awards: own.length,
        points: sum(({ points }) => points),
        rawAmount: sum(({ rawAmount }) => rawAmount),
        remainder: sum(({ rawAmount }) => rawAmount % 1000),
      }
    })
    .filter(({ day }) => day >= from && day <= to)
}

function assertDaysAddUp(operator: Database, entries: Entry[]): void {
  const days = Map.groupBy(entries, (e) => `${e.partnerId} ${e.tenantId} ${dayOf(e.awardedAt)}`)
  const rows = operator.prepare('SELECT * FROM account_days').all()
  assert.equal(rows.length, days.size)
  for (const row of rows) {
    const own = days.get(`${row.partner_id} ${row.tenant_id} ${row.day}`)!
    const sum = (value: (entry: Entry) => number) => own.reduce((sum, entry) => sum + value(entry), 0)
    assert.equal(row.awards, own.length)
    assert.equal(
      row.points,
      sum(({ points }) => points),
    )
    assert.equal(
      Number(row.raw_high) * 1e9 + Number(row.raw_low),
      sum(({ rawAmount }) => rawAmount),
    )
    assert.equal(
      row.remainder,
      sum(({ rawAmount }) => rawAmount % 1000),
    )
    assert.equal(row.first_seq, Math.min(...own.map(({ seq }) => seq)))
    assert.equal(row.last_seq, Math.max(...own.map(({ seq }) => seq)))
  }
}

test('every entry is found by its id and its user, however far the read model has come', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  await awarded(ledger, t, 60)
  await assertAllFound(path)
  const { model, operator, close } = followed(path)
  t.after(close)
  let steps = 0
  do {
    await assertAllFound(path)
    steps++
  } while (model.follow() > 0)
  assert.ok(steps > 8)
  await assertAllFound(path)
  assertDaysAddUp(operator, await entriesOf(path))
  const { moved, waiting, both } = operator
    .prepare(`
      SELECT (SELECT count(*) FROM by_user) AS moved, (SELECT count(*) FROM by_user_runs) AS waiting,
        (SELECT count(*) FROM by_user JOIN by_user_runs USING (user48, place)) AS both`)
    .get() as Record<string, number>
  assert.ok(moved! > 0)
  assert.equal(moved! + waiting! - both!, 60)
})

test('a search has few runs to look at, however slowly entries arrive', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  const { model, operator, close } = followed(path, { ...sizes, runsMax: 5 })
  t.after(close)
  const runs = operator.prepare('SELECT count(DISTINCT run) AS count FROM by_user_runs')
  for (let index = 0; index < 30; index++) {
    await awarded(ledger, t, 1, `slow-${index}`)
    model.follow()
    assert.ok((runs.get()!.count as number) <= 2 * 5)
  }
  await assertAllFound(path)
})

test('a read model that is closed at any time goes on where it was', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  await awarded(ledger, t, 40)
  for (let taken = 1; taken > 0; ) {
    const { model, close } = followed(path)
    taken = model.follow()
    close()
  }
  await assertAllFound(path)
  const { operator, close } = followed(path)
  assertDaysAddUp(operator, await entriesOf(path))
  close()
})

test('what the read model has added up is not added up again from the entries', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  await awarded(ledger, t, 20)
  const { model, operator, close } = followed(path)
  t.after(close)
  while (model.follow() > 0);
  await awarded(ledger, t, 5, 'behind')
  const remainder = (await entriesOf(path)).reduce((sum, { rawAmount }) => sum + (rawAmount % 1000), 0)
  // Whoever reads the entries does not see this, and only verify looks for it.
  operator.exec('UPDATE account_days SET remainder = remainder + 1000')
  const changed = operator.prepare('SELECT count(*) AS count FROM account_days').get()!.count as number
  const queries = openLedgerQueries(path)
  t.after(() => queries.close())
  const days = (await Array.fromAsync(queries.accountDays({ from: 0, to: 100_000 }))).flat()
  const counted = days.reduce((sum, day) => sum + day.remainder, 0)
  assert.equal(counted, remainder + changed * 1000)
})

test('a step that fails in its middle is not counted, and is repeated', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  await awarded(ledger, t, 10)
  const { model, operator, close } = followed(path)
  t.after(close)
  operator.exec(
    "CREATE TRIGGER fail BEFORE INSERT ON account_days BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  )
  assert.throws(() => model.follow(), /disk full/)
  assert.equal(operator.prepare('SELECT count(*) AS count FROM by_id').get()!.count, 0)
  operator.exec('DROP TRIGGER fail')
  while (model.follow() > 0);
  await assertAllFound(path)
  assertDaysAddUp(operator, await entriesOf(path))
})

test('the read model of a ledger that was restored from a backup is made again', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const first = await openSqliteLedger(t, path)
  await awarded(first, t, 10)
  await first.close()
  copyFileSync(path, `${path}.backup`)
  const second = await openSqliteLedger(t, path)
  await awarded(second, t, 10, 'lost')
  const before = followed(path)
  while (before.model.follow() > 0);
  before.close()
  await second.close()
  copyFileSync(`${path}.backup`, path)
  const third = await openSqliteLedger(t, path)
  await awarded(third, t, 10, 'after')
  // Without a word: the ledger is small enough to be read.
  await assertAllFound(path)
  const after = followed(path)
  t.after(after.close)
  while (after.model.follow() > 0);
  await assertAllFound(path)
  assertDaysAddUp(after.operator, await entriesOf(path))
})

test('a read model whose file was deleted comes back', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  await awarded(ledger, t, 10)
  const before = followed(path)
  while (before.model.follow() > 0);
  before.close()
  for (const file of ['', '-wal', '-shm']) rmSync(`${path}-operator${file}`, { force: true })
  const after = followed(path)
  t.after(after.close)
  while (after.model.follow() > 0);
  await assertAllFound(path)
  assertDaysAddUp(after.operator, await entriesOf(path))
})

test('what the read model says is compared with the entry: a wrong place is never shown', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = await openSqliteLedger(t, path)
  await awarded(ledger, t, 20)
  const { model, operator, close } = followed(path)
  t.after(close)
  while (model.follow() > 0);
  // As if all hashes, and the beginnings of all ids, were the same.
  for (const [table, key] of [
    ['by_user', 'user48'],
    ['by_user_runs', 'run, user48'],
  ]) {
    operator.exec(`CREATE TEMP TABLE same AS SELECT DISTINCT ${key} FROM ${table}`)
    operator.exec(
      `INSERT OR IGNORE INTO ${table} SELECT ${key}, value FROM same, json_each('[1,2,3,4,5,6,7,8,9,10,99]')`,
    )
    operator.exec('DROP TABLE same')
  }
  operator.exec("INSERT OR IGNORE INTO by_id SELECT id48, value FROM by_id, json_each('[1,2,3,4,5,99]')")
  const entries = await entriesOf(path)
  const queries = openLedgerQueries(path)
  t.after(() => queries.close())
  for (const { epTransactionId } of entries)
    assert.deepEqual(named(await queries.entriesOfId(epTransactionId, loud)), [epTransactionId])
  for (const userEmail of users) {
    const found = await queries.entriesOfAddress({ userEmail }, 10_000, loud)
    assert.deepEqual([...new Set(found.map((entry) => entry.userEmail))], [userEmail])
  }
})

test('sums of a day are exact beyond 2^53', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const large = 2 ** 53 - 1
  const ledger = await openSqliteLedger(t, path, { perTx: large, perPartnerDay: large, perUserDay: large })
  for (let index = 0; index < 3; index++)
    await ledger.store.ledger.award(anOrder(`${index}`, { amount: large }))
  const { model, operator, close } = followed(path)
  t.after(close)
  while (model.follow() > 0);
  const { raw_high, raw_low } = operator.prepare('SELECT raw_high, raw_low FROM account_days').get()!
  assert.equal(BigInt(raw_high as number) * 10n ** 9n + BigInt(raw_low as number), 3n * BigInt(large))
  // Whoever asks for it as a number gets an error, not a rounded one.
  const queries = openLedgerQueries(path)
  t.after(() => queries.close())
  const days = Array.fromAsync(queries.accountDays({ from: 0, to: 100_000 }))
  await assert.rejects(days, /exceed 2\^53 - 1/)
})

test('no address, order or note is stored beside the ledger', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store } = await openSqliteLedger(t, path)
  const secrets = { orderId: 'SECRET-ORDER', userEmail: 'secret.user@example.vn', note: 'SECRET-NOTE' }
  await store.ledger.award(anOrder('', secrets))
  const { model, close } = followed(path)
  t.after(close)
  while (model.follow() > 0);
  const files = readdirSync(dirname(path)).filter((name) => name.includes('-operator'))
  assert.ok(files.length > 0)
  for (const name of files) {
    const bytes = readFileSync(join(dirname(path), name))
    assert.equal(/secret/i.test(bytes.toString('latin1')), false, name)
  }
})
