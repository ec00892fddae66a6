import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { documentOf, runCommand, textOf } from '../support/command-line.ts'
import { runSql, unmigratedPostgres } from '../support/fresh-database.ts'
import { temporaryFolder } from '../support/service.ts'
import { masterKey } from '../support/transfers.ts'

test('a database is migrated by an operator, once; until then it is not served, and the command is named', async (t) => {
  const cwd = temporaryFolder(t)
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0', OPERATOR_PORT: '0' }
  const run = (...args: string[]) => runCommand(args, { cwd, environment })

  for (const command of [['serve'], ['verify'], ['export'], ['partner', 'list']]) {
    const { code, stdout, stderr } = await run(...command)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^partner-credit: .*not migrated: run node bin\/partner-credit\.js migrate first$/m)
  }
  const migrated = readdirSync('src/stores/postgres/migrations')
  assert.equal(textOf(await run('migrate')), `migrated: ${migrated.join(', ')}\n`)
  assert.deepEqual(documentOf(await run('migrate', '--json')), { migrated: [] })
  assert.match(textOf(await run('verify')), /^sound: 0 entries/)
})

test('a database whose encoding no server would accept is not migrated', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const name = `latin1_${new URL(url).pathname.slice(1)}`
  await runSql(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
  const DATABASE_URL = Object.assign(new URL(url), { pathname: `/${name}` }).href
  const cwd = temporaryFolder(t)
  const { code, stderr } = await runCommand(['migrate'], { cwd, environment: { DATABASE_URL } })
  const tables = await runSql(DATABASE_URL, "SELECT FROM pg_tables WHERE schemaname = 'public'")
  await runSql(url, `DROP DATABASE ${name} WITH (FORCE)`)
  assert.equal(code, 1)
  assert.match(stderr, /encoding is LATIN1 and must be UTF8.*ENCODING 'UTF8'/)
  assert.deepEqual(tables, [])
})

test('a schema with the name of the role, created later, does not become a second ledger', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = (...args: string[]) =>
    runCommand(args, { cwd: temporaryFolder(t), environment: { DATABASE_URL: url } })
  await run('migrate')
  await runSql(url, `CREATE SCHEMA "${new URL(url).username}"`)
  assert.deepEqual(documentOf(await run('migrate', '--json')), { migrated: [] })
  assert.match(textOf(await run('verify')), /^sound: 0 entries/)
})
