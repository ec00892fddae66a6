import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/service.ts'
import { openDatabase } from './database.ts'
import { layoutFault } from './layout.ts'
import { migrate } from './migrate.ts'

test('a foreign trigger is named, even if its name looks like one of SQLite', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = openDatabase(path)
  t.after(() => ledger.close())
  migrate(ledger)
  ledger.exec('ANALYZE')
  assert.equal(layoutFault(ledger), null)

  const raw = new DatabaseSync(path, { defensive: false })
  raw.exec(`
    CREATE TRIGGER more AFTER INSERT ON entries BEGIN UPDATE user_days SET points = 0; END;
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET name = 'sqlite_stat9', sql = replace(sql, 'more', 'sqlite_stat9') WHERE name = 'more'`)
  raw.close()
  assert.match(layoutFault(ledger)!, /^the trigger sqlite_stat9 on entries is not ours/)
})

test('an index in an order that SQLite does not know, which refuses every award, is named', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const ledger = openDatabase(path)
  migrate(ledger)
  ledger.close()
  const raw = new DatabaseSync(path, { defensive: false })
  raw.exec(`
    CREATE INDEX more ON entries (note COLLATE NOCASE);
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'unknown') WHERE name = 'more'`)
  raw.close()
  const changed = openDatabase(path, { readOnly: true })
  t.after(() => changed.close())
  assert.match(layoutFault(changed)!, /^the index more is not ours, and can refuse/)
})

const hidden = [
  ['TRIGGER', 'CREATE TRIGGER more BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END'],
  ['tRigger', 'CREATE TRIGGER more BEFORE UPDATE ON partners BEGIN SELECT RAISE(IGNORE); END'],
  ['INDEX', 'CREATE UNIQUE INDEX more ON keys (partner_id)'],
  ['TABLE', 'CREATE TABLE more (p, t, FOREIGN KEY (p, t) REFERENCES grants)'],
]
for (const [type, sql] of hidden) {
  test(`SQLite obeys a row of type ${type} in its schema: ${sql}`, (t) => {
    const path = join(temporaryFolder(t), 'ledger.db')
    const ledger = openDatabase(path)
    t.after(() => ledger.close())
    migrate(ledger)
    const raw = new DatabaseSync(path, { defensive: false })
    raw.exec(
      `${sql}; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = '${type}' WHERE name = 'more'`,
    )
    raw.close()
    assert.match(layoutFault(ledger)!, new RegExp(`^the ${type!.toLowerCase()} more .*is not ours`))
  })
}

const refusing = {
  'a unique index, which refuses awards': 'CREATE UNIQUE INDEX more ON entries (tenant_id)',
  'an index of an expression, which may fail': "CREATE INDEX more ON entries (json_extract(note, '$'))",
  'a table that refers to one of ours, whose row then cannot be deleted':
    'CREATE TABLE more (p, t, FOREIGN KEY (p, t) REFERENCES grants)',
}

for (const [what, sql] of Object.entries(refusing)) {
  test(`${what}, is named`, (t) => {
    const ledger = openDatabase(join(temporaryFolder(t), 'ledger.db'))
    t.after(() => ledger.close())
    migrate(ledger)
    ledger.exec(
      'CREATE INDEX plain ON entries (user_email); CREATE TABLE notes (note TEXT PRIMARY KEY, line INTEGER)',
    )
    assert.equal(layoutFault(ledger), null)
    ledger.exec(sql)
    assert.match(layoutFault(ledger)!, /^the (index|table) more is not ours, and can refuse/)
  })
}
