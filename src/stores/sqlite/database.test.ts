import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../../../test/support/service.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { asUnavailable, inTransaction, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

test('a database is opened to keep what it acknowledged: WAL, synced at every commit, with its references kept', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  for (const database of [openDatabase(path), openDatabase(path, { readOnly: true })]) {
    const setting = (name: string) => database.prepare(`PRAGMA ${name}`).get()![name]
    assert.equal(setting('journal_mode'), 'wal')
    assert.equal(setting('synchronous'), 2)
    assert.equal(setting('foreign_keys'), 1)
    assert.equal(setting('recursive_triggers'), 1)
    database.close()
  }
})

test('a new file that another process is creating is opened when that one is done', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const other = new Worker(
    `
    const { parentPort, workerData } = require('node:worker_threads')
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(workerData)
    database.exec('BEGIN IMMEDIATE')
    parentPort.postMessage('it has the lock')
    setTimeout(() => database.close(), 300)`,
    { eval: true, workerData: path },
  )
  const ended = once(other, 'exit')
  await once(other, 'message')
  openDatabase(path).close()
  await ended
})

test('a file that another program reads all the time is refused, and not tried again and again', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const reader = new DatabaseSync(path)
  t.after(() => reader.close())
  migrate(reader)
  reader.exec('BEGIN; SELECT count(*) FROM tenants')
  const opening = spawnSync(
    process.execPath,
    ['--eval', 'import(process.argv[1]).then(({ openDatabase }) => openDatabase(process.argv[2]))'].concat(
      join(import.meta.dirname, 'database.ts'),
      path,
    ),
    { encoding: 'utf8', timeout: 60_000 }, // it would take several minutes
  )
  assert.match(opening.stderr, /cannot use .*ledger\.db: database is locked/)
  assert.equal(opening.status, 1)
})

test('a backup in another mode is read as it is', (t) => {
  const path = join(temporaryFolder(t), 'backup.db')
  const backup = new DatabaseSync(path)
  backup.exec('PRAGMA journal_mode = DELETE')
  migrate(backup)
  backup.close()
  const before = readFileSync(path)
  openDatabase(path, { readOnly: true }).close()
  assert.deepEqual(readFileSync(path), before)
})

test('the folder is made, and neither it nor the file is for anyone but the owner', (t) => {
  const folder = join(temporaryFolder(t), 'data', 'deeper')
  openDatabase(join(folder, 'ledger.db')).close()
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.equal(statSync(join(folder, 'ledger.db')).mode & 0o777, 0o600)
})

test('a folder in which the system makes none is refused with its name', () => {
  if (!existsSync('/proc/self')) return // only Linux has one
  assert.throws(
    () => openDatabase('/proc/self/none/below/ledger.db'),
    /cannot use .*ledger\.db: the folder \/proc\/self\/none cannot be created: ENOENT/,
  )
})

test('a ledger in a folder that cannot be written to is refused with what to do, because its log belongs there', (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ledger.db')
  openDatabase(path).close()
  chmodSync(path, 0o644)
  chmodSync(folder, 0o555)
  const isRoot = process.geteuid!() === 0 // who may write everywhere
  if (isRoot) process.seteuid!(65_534)
  try {
    assert.throws(
      () => openDatabase(path, { readOnly: true }),
      /^Error: cannot use .*ledger\.db: .*the user who runs this must be able to write to the folder/,
    )
  } finally {
    if (isRoot) process.seteuid!(0)
    chmodSync(folder, 0o700)
  }
})

test('a backup that was restored beside the log of the ledger before it is refused with what to do', (t) => {
  const folder = temporaryFolder(t)
  const [path, backup] = [join(folder, 'ledger.db'), join(folder, 'backup.db')]
  const database = openDatabase(path)
  migrate(database)
  database.prepare('VACUUM INTO ?').run(backup)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const makeTenant = database.prepare(
    "INSERT INTO tenants (tenant_id, mode, created_at) VALUES (?, 'live', 1)",
  )
  for (let count = 0; count < 300; count++) makeTenant.run(`tenant-${count}`)
  for (const readOnly of [true, false]) {
    const restored = join(folder, `restored-${readOnly}.db`)
    copyFileSync(`${path}-wal`, `${restored}-wal`)
    copyFileSync(backup, restored)
    assert.throws(
      () => openDatabase(restored, { readOnly }),
      /^Error: cannot use .*: it is damaged, or the log beside it \(.*restored-.*\.db-wal\) belongs to another file/,
    )
  }
  database.close()

  const damaged = join(folder, 'damaged.db')
  writeFileSync(damaged, readFileSync(backup).fill(0xff, 100))
  assert.throws(() => openDatabase(damaged), /^Error: cannot use .*damaged\.db: [^:]*$/, 'it has no log')
})

test('a file that others could read is closed to them', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  writeFileSync(path, '', { mode: 0o644 })
  openDatabase(path).close()
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a name that begins with "file:" is a name, not an address of another file', (t) => {
  const folder = temporaryFolder(t)
  const other = join(folder, 'other.db')
  const before = process.cwd()
  process.chdir(folder)
  try {
    const database = openDatabase(`file:${other}`)
    assert.equal(database.location(), join(realpathSync(folder), `file:${other}`))
    database.close()
  } finally {
    process.chdir(before)
  }
  assert.equal(existsSync(other), false)
})

/** A database with a table of numbers that must not be 13. */
function aDatabase(path: string) {
  const database = openDatabase(path)
  migrate(database)
  database.exec('CREATE TABLE IF NOT EXISTS numbers (n INTEGER CHECK (n <> 13), padding BLOB) STRICT')
  const add = (n: number, bytes = 0) =>
    database.prepare('INSERT INTO numbers VALUES (?, zeroblob(?))').run(n, bytes)
  const all = () =>
    database
      .prepare('SELECT n FROM numbers ORDER BY n')
      .all()
      .map(({ n }) => n)
  return { database, add, all }
}

test('a transaction gives its result and is there for everyone when it has ended', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { database, add } = aDatabase(path)
  const other = aDatabase(path)
  const result = inTransaction(database, () => {
    add(1)
    add(2)
    assert.deepEqual(other.all(), [])
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual(other.all(), [1, 2])
  database.close()
  other.database.close()
})

test('a transaction that fails, in the database or outside it, leaves nothing, and the next one works', (t) => {
  const { database, add, all } = aDatabase(join(temporaryFolder(t), 'ledger.db'))
  const failures = [
    () => add(13),
    () => {
      throw new Error('a bug')
    },
  ]
  for (const fail of failures) {
    assert.throws(() =>
      inTransaction(database, () => {
        add(1)
        fail()
      }),
    )
    assert.deepEqual(all(), [])
    assert.equal(database.isTransaction, false)
  }
  inTransaction(database, () => add(2))
  assert.deepEqual(all(), [2])
  database.close()
})

test('a disk that fills up in a transaction is Unavailable, leaves nothing, and room makes it work again', (t) => {
  const { database, add, all } = aDatabase(join(temporaryFolder(t), 'ledger.db'))
  // A limit on the pages of the file fails as a full disk does.
  database.exec('PRAGMA max_page_count = 60')
  const fill = () =>
    inTransaction(database, () => {
      for (let n = 1; n <= 10; n++) add(n, 50_000)
    })
  const fault = thrownBy(fill)
  assert.ok(asUnavailable(fault) instanceof Unavailable)
  assert.match((asUnavailable(fault) as Error).message, /the disk is full/)
  assert.equal((asUnavailable(fault) as Error).cause, fault)
  assert.deepEqual(all(), [])
  database.exec('PRAGMA max_page_count = 1000000')
  fill()
  assert.equal(all().length, 10)
  database.close()
})

test('a database that another process holds is Unavailable', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const holder = aDatabase(path).database
  const { database, add, all } = aDatabase(path)
  database.exec('PRAGMA busy_timeout = 0')
  holder.exec('BEGIN IMMEDIATE')
  const fault = asUnavailable(thrownBy(() => inTransaction(database, () => add(1))))
  assert.ok(fault instanceof Unavailable)
  assert.match(fault.message, /the database is busy/)
  holder.exec('ROLLBACK')
  inTransaction(database, () => add(1))
  assert.deepEqual(all(), [1])
  database.close()
  holder.close()
})

test('a write where only reading is possible is Unavailable', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  aDatabase(path).database.close()
  const database = openDatabase(path, { readOnly: true })
  const fault = asUnavailable(thrownBy(() => database.exec('INSERT INTO numbers VALUES (1, NULL)')))
  assert.ok(fault instanceof Unavailable)
  assert.match(fault.message, /read-only/)
  database.close()
})

test('a broken rule of the database and any other error are bugs, and stay what they are', (t) => {
  const { database, add } = aDatabase(join(temporaryFolder(t), 'ledger.db'))
  for (const bug of [thrownBy(() => add(13)), new TypeError('a bug'), 'not even an Error']) {
    assert.equal(asUnavailable(bug), bug)
  }
  database.close()
})

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new assert.AssertionError({ message: 'it did not fail' })
}
