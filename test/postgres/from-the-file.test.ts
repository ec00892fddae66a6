import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aFolder, type CommandResult, complaintOf, runCommand } from '../support/command-line.ts'
import { unmigratedPostgres } from '../support/fresh-database.ts'
import { startServerProcess } from '../support/server-process.ts'

const page = readFileSync(new URL('../../docs/operator/scaling.md', import.meta.url), 'utf8')

test('the way from the file to PostgreSQL works as docs/operator/scaling.md says; without new keys no master key is needed', async (t) => {
  const { cwd, run } = await aFolder(t)
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const there = ['--database-url', url]
  const followed: string[] = []
  async function step(command: string, ran: Promise<CommandResult>): Promise<string> {
    followed.push(`node bin/partner-credit.js ${command}`)
    const { code, stdout, stderr } = await ran
    assert.equal(code, 0, `${command}: ${stderr}`)
    return stdout
  }
  await step('migrate --database-url postgres://…', run('migrate', ...there))
  await step('export --out ledger.ndjson', run('export', '--out', 'ledger.ndjson'))
  const masterKey = readFileSync(`${cwd}/data/master.key`, 'utf8').trim()
  const environment = { MASTER_KEY: masterKey, DATABASE_URL: url }
  await step('import ledger.ndjson', runCommand(['import', 'ledger.ndjson'], { cwd, environment }))
  const server = await startServerProcess(environment, { cwd })
  assert.equal(await server.end('SIGTERM'), 0)

  for (const command of followed) assert.ok(page.includes(`\n${command}\n`), command)

  // Without the master key, as after its loss.
  assert.match((await run('partner', 'list', ...there)).stdout, /acme/)
  assert.match((await run('verify', ...there)).stdout, /^sound: /)
  assert.equal((await run('partner', 'suspend', 'acme', ...there)).code, 0)
  const { stdout } = await run('find', 'R-1', '--partner', 'acme', ...there)
  assert.match(stdout, /Not searched: refusals of an order, .*:\s+MASTER_KEY is required on PostgreSQL$/m)
  for (const args of [['key', 'create', 'acme'], ['export'], ['serve']]) {
    const { code, stderr } = await run(...args, ...there)
    assert.equal(code, 2, args.join(' '))
    assert.match(stderr, /MASTER_KEY is required on PostgreSQL/)
  }
  assert.match(complaintOf(await run('import', 'missing.ndjson'), 1), /missing\.ndjson/)
})
