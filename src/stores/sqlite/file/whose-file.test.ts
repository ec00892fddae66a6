import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { openSqlite } from '../open.ts'
import { assertOurs } from './whose-file.ts'

/** Makes a database in a folder of its own and gives its path; whoever made it has left, as after kill -9. */
function leftBy(t: TestContext, sql: string): string {
  const [folder, place] = [join(temporaryFolder(t), 'made'), join(temporaryFolder(t), 'left')]
  mkdirSync(folder)
  const maker = new DatabaseSync(join(folder, 'photos.db'))
  maker.exec(sql)
  cpSync(folder, place, { recursive: true })
  maker.close()
  return join(place, 'photos.db')
}

/** Every file of the folder with its bytes, its mode and its time. */
function traces(path: string) {
  const folder = join(path, '..')
  return readdirSync(folder).map((name) => {
    const { mode, mtimeMs } = statSync(join(folder, name))
    return [name, mode, mtimeMs, readFileSync(join(folder, name)).toString('hex')]
  })
}

const foreign = {
  'with another table': 'CREATE TABLE photos (name)',
  'with a table called migrations': 'CREATE TABLE migrations (name)',
  'with no table but a view': 'CREATE VIEW migrations AS SELECT 1 AS name',
  'with migrations of the same columns':
    "CREATE TABLE migrations (name, sha256); INSERT INTO migrations VALUES ('0001-ledger.sql', 'another')",
  'with no table yet but its mark': 'PRAGMA application_id = 252006674',
  'with no table yet but a version of its own, in the log':
    'PRAGMA journal_mode = WAL; PRAGMA user_version = 3',
  'in WAL mode': 'PRAGMA journal_mode = WAL; CREATE TABLE migrations (id); PRAGMA wal_checkpoint(TRUNCATE)',
  'of which everything is in the log': 'PRAGMA journal_mode = WAL; CREATE TABLE migrations (id)',
  'of which everything is in the log, in pages of another size':
    'PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; CREATE TABLE migrations (id)',
  'of which something is in the log':
    'PRAGMA journal_mode = WAL; CREATE TABLE a (b); PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE migrations (id)',
}

for (const [how, sql] of Object.entries(foreign)) {
  test(`the database of another program (${how}) is refused and left as it is: bytes, mode, time and what is beside it`, (t) => {
    const path = leftBy(t, sql)
    chmodSync(path, 0o644)
    utimesSync(path, 1_000_000, 1_000_000)
    const before = traces(path)
    for (const readOnly of [false, true]) {
      assert.throws(
        () => openDatabase(path, { readOnly }),
        /photos\.db: it is the database of another program/,
      )
    }
    assert.deepEqual(traces(path), before)
  })
}

test('what is not a database is refused by name and left as it is', (t) => {
  const path = join(temporaryFolder(t), 'letter.db')
  for (const text of ['Dear all, '.repeat(1000), 'x', '\0'.repeat(8192)]) {
    writeFileSync(path, text)
    chmodSync(path, 0o644)
    const before = traces(path)
    assert.throws(() => openDatabase(path), /letter\.db: it is not an SQLite database/)
    assert.deepEqual(traces(path), before)
  }
  mkdirSync(`${path}.d`)
  assert.throws(() => openDatabase(`${path}.d`), /letter\.db\.d: it is not a file/)
  spawnSync('mkfifo', [`${path}.pipe`])
  assert.throws(() => openDatabase(`${path}.pipe`), /letter\.db\.pipe: it is not a file/)
})

test('a ledger whose maker was killed is ours, while its first tables are only in the log and after that', async (t) => {
  const [folder, place] = [temporaryFolder(t), temporaryFolder(t)]
  const path = join(folder, 'ledger.db')
  const maker = openDatabase(path)
  const reader = openDatabase(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.exec('SELECT count(*) FROM sqlite_schema') // whoever reads the empty file keeps the tables in the log
  migrate(maker)
  assert.equal(statSync(path).size, 4096)
  cpSync(folder, place, { recursive: true })
  reader.close()
  maker.close()
  assert.ok(statSync(path).size > 4096)
  for (const left of [place, folder]) {
    const database = openDatabase(join(left, 'ledger.db'))
    assert.deepEqual(migrate(database), [])
    database.close()
  }
})

test('a ledger is known by its file alone as soon as it is made', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const store = openSqlite(path)
  writeFileSync(`${path}.copy`, readFileSync(path))
  openDatabase(`${path}.copy`).close()
  assert.notEqual(statSync(path).size, 4096)
  await store.close()
})

test('a ledger is ours while its log is being copied into it, when the file makes no sense without the log', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const maker = openDatabase(path)
  t.after(() => maker.close())
  migrate(maker)
  maker.exec('INSERT INTO probe (only_row, ballast) VALUES (1, zeroblob(1000000))')
  // As after the first page was copied: it says already how long the file will be. Written by another process: this one would
  // release its locks when it closes the file.
  const writeFirstPage = `
    const path = process.argv[1]
    const firstPage = fs.readFileSync(path)
    firstPage.writeUInt32BE(10_000, 28)
    firstPage.copy(firstPage, 92, 24, 28)
    fs.writeFileSync(path, firstPage)`
  execFileSync(process.execPath, ['-e', writeFirstPage, path])
  for (const readOnly of [true, false]) openDatabase(path, { readOnly }).close()
})

test('a ledger is ours if its log was copied into it and removed while somebody looked at the file', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  await openSqlite(path).close()
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, 8192)) // the first page says how long the file will be
  assertOurs(path, (name, options) => {
    const look = new DatabaseSync(name, options)
    const close = look.close.bind(look)
    look.close = () => {
      close()
      writeFileSync(path, whole)
    }
    return look
  })
  writeFileSync(path, whole.subarray(0, 8192))
  assert.throws(() => openDatabase(path), /malformed/)
})

test('an empty file becomes a ledger', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  writeFileSync(path, '')
  await openSqlite(path).close()
  await openSqlite(path).close()
})

/** As SQLite writes it before it changes a file that has so many pages. */
function journalHeader(pagesBefore: number): Buffer {
  const header = Buffer.alloc(512)
  Buffer.from('d9d505f920a163d7', 'hex').copy(header)
  for (const [index, value] of [0, 1234, pagesBefore, 512, 4096].entries())
    header.writeUInt32BE(value, 8 + 4 * index)
  return header
}

test('a file whose first page a power cut tore while it was made is a new ledger; another one that is no database is left alone', (t) => {
  const [torn, other] = ['torn', 'other'].map((name) => join(temporaryFolder(t), name, 'ledger.db'))
  for (const [path, pagesBefore] of [
    [torn!, 0],
    [other!, 3],
  ] as const) {
    mkdirSync(join(path, '..'))
    writeFileSync(path, Buffer.alloc(4096, 'rubbish'))
    writeFileSync(`${path}-journal`, journalHeader(pagesBefore))
  }
  const database = openDatabase(torn!)
  migrate(database)
  database.close()
  const before = traces(other!)
  assert.throws(() => openDatabase(other!), /it is not an SQLite database/)
  assert.deepEqual(traces(other!), before)
})

test('a ledger whose making was cut off is made by the same command, also after somebody has looked at it', async (t) => {
  for (const [file, log] of [
    ['first page', ''],
    ['first page', 'h'.repeat(32)],
    ['put back', 'h'.repeat(32)],
  ] as const) {
    for (const isLookedAt of [false, true]) {
      const path = join(temporaryFolder(t), 'ledger.db')
      const maker = new DatabaseSync(path)
      maker.exec('PRAGMA journal_mode = WAL')
      maker.close()
      if (file === 'put back') truncateSync(path)
      writeFileSync(`${path}-journal`, journalHeader(0))
      writeFileSync(`${path}-wal`, log)
      if (isLookedAt) assert.throws(() => openSqlite(path, { create: false }), /there is no ledger at/)
      await openSqlite(path).close()
    }
  }
})
