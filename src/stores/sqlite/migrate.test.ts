import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/service.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

function aDatabase(test: TestContext): Database {
  const database = openDatabase(join(temporaryFolder(test), 'ledger.db'))
  test.after(() => database.close())
  return database
}

function layoutOf(database: Database): unknown[] {
  return database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
}

const folder = new URL('./migrations/', import.meta.url)

test('every migration is run, in order, and remembered with its SHA-256', (t) => {
  const database = aDatabase(t)
  migrate(database)
  const applied = database.prepare('SELECT name, sha256 FROM migrations ORDER BY rowid').all()
  const files = readdirSync(folder).toSorted((a, b) => (a < b ? -1 : 1))
  assert.deepEqual(
    applied.map((row) => ({ ...row })),
    files.map((name) => ({
      name,
      sha256: createHash('sha256')
        .update(readFileSync(new URL(name, folder)))
        .digest('hex'),
    })),
  )
})

test('migrations run once: a second time nothing is done and what is stored stays', (t) => {
  const database = aDatabase(t)
  migrate(database)
  database.exec("INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES ('t1', NULL, 1)")
  const layout = layoutOf(database)
  const applied = database.prepare('SELECT * FROM migrations').all()
  migrate(database)
  assert.deepEqual(layoutOf(database), layout)
  assert.deepEqual(database.prepare('SELECT * FROM migrations').all(), applied)
  assert.equal(database.prepare('SELECT count(*) AS n FROM tenants').get()!.n, 1)
})

test('what an older program stored is all there after the migrations that came since', (t) => {
  const database = aDatabase(t)
  const first = readFileSync(new URL('0001-ledger.sql', folder), 'utf8')
  database.exec(
    'CREATE TABLE migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT) STRICT',
  )
  database.exec(first)
  database
    .prepare("INSERT INTO migrations (name, sha256) VALUES ('0001-ledger.sql', ?)")
    .run(createHash('sha256').update(first).digest('hex'))
  database.exec(`
    INSERT INTO accounts VALUES ('globex', 't2', 9, x'0102', 1763182800002, 20407, 8), ('acme', 't1', 1, x'ff', 3, 4, 5);
    INSERT INTO user_days VALUES ('t1', 'ann@example.com', 20407, 6)`)
  const stored = () =>
    ['accounts', 'user_days'].map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all())
  const before = stored()
  assert.ok(migrate(database).length > 0)
  assert.deepEqual(stored(), before)
  assert.throws(() => database.exec("UPDATE accounts SET day_points = -1 WHERE partner_id = 'acme'"), /CHECK/)
})

test('a database from a newer program is refused by the name of what it has, and left as it is', (t) => {
  const database = aDatabase(t)
  migrate(database)
  database.exec("INSERT INTO migrations (name, sha256) VALUES ('9999-from-the-future.sql', 'x')")
  const layout = layoutOf(database)
  assert.throws(() => migrate(database), /newer version.*9999-from-the-future\.sql/)
  assert.deepEqual(layoutOf(database), layout)
  assert.equal(database.isTransaction, false)
})

test('a migration that was edited since is refused by its name', (t) => {
  const database = aDatabase(t)
  migrate(database)
  database.exec("UPDATE migrations SET sha256 = 'another' WHERE name LIKE '0001%'")
  assert.throws(() => migrate(database), /migration 0001-ledger\.sql was edited/)
})

test('a migration that fails leaves the database as it was', (t) => {
  const database = aDatabase(t)
  database.exec('CREATE TABLE entries (somebody_elses TEXT)')
  assert.throws(() => migrate(database), /entries already exists/)
  const names = database
    .prepare('SELECT name FROM sqlite_schema')
    .all()
    .map(({ name }) => name)
  assert.deepEqual(names, ['entries'])
})

test('every table is STRICT: a column holds its type and nothing else', (t) => {
  const database = aDatabase(t)
  migrate(database)
  const loose = database
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
    )
    .all()
  assert.deepEqual(loose, [])
})
