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
