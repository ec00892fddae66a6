import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, runCommand, textOf } from '../support/command-line.ts'
import { runSql, unmigratedPostgres } from '../support/fresh-database.ts'
import { temporaryFolder } from '../support/service.ts'
import { masterKey } from '../support/transfers.ts'

test('a ledger in a schema of any name is sound', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = (...args: string[]) =>
    runCommand(args, { cwd: temporaryFolder(t), environment: { DATABASE_URL: url } })
  await runSql(url, `CREATE SCHEMA "Partner-Credit, ""live"""; ${searchPath('"Partner-Credit, ""live"""')}`)
  assert.notDeepEqual(documentOf(await run('migrate', '--json')), { migrated: [] })
  assert.match(textOf(await run('verify')), /^sound: 0 entries/)
})

test('beside tables of the same names in a schema that comes first, nothing is served and nothing is sound', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0', OPERATOR_PORT: '0' }
  const run = (...args: string[]) => runCommand(args, { cwd: temporaryFolder(t), environment })
  await run('migrate')
  const copies = ['accounts', 'entries', 'user_days'].map(
    (table) => `CREATE TABLE other.${table} (LIKE ${table} INCLUDING ALL)`,
  )
  await runSql(
    url,
    `CREATE SCHEMA other; ${copies.join('; ')};
     CREATE TRIGGER entries_are_never_changed BEFORE UPDATE OR DELETE ON other.entries
       FOR EACH ROW EXECUTE FUNCTION refuse_change();
     CREATE TRIGGER entries_are_never_emptied BEFORE TRUNCATE ON other.entries
       FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
     ${searchPath('other, public')}`,
  )
  const reason = /the table accounts is in another schema than the table migrations/
  assert.match((await run('serve')).stderr, reason)
  const { code, stdout } = await run('verify')
  assert.equal(code, 1)
  assert.match(stdout, reason)
})

function searchPath(schemas: string): string {
  return `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = ${schemas}', current_database()); END $$`
}
