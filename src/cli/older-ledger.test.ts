import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { complaintOf, database, runCommand, textOf } from '../../test/support/command-line.ts'
import { olderFile } from '../../test/support/older-ledger.ts'
import { startServerProcess } from '../../test/support/server-process.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { lockForServing } from '../stores/sqlite/file/server-lock.ts'

const environment = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }

/** Every command that works on a ledger and is neither serve nor migrate. */
const commands = [
  ['partner', 'list'],
  ['partner', 'create', '--id', 'initech', '--name', 'Initech', '--tenant', 't1'],
  ['partner', 'suspend', 'acme'],
  ['tenant', 'list'],
  ['defaults', 'show'],
  ['defaults', 'caps', '--per-tx', '5'],
  ['key', 'create', 'acme'],
  ['verify'],
  ['export'],
  ['import', 'ledger.jsonl'],
]

/** For import, which reads the beginning of its file before it opens a ledger. */
async function exportTo(path: string, test: TestContext): Promise<void> {
  const cwd = temporaryFolder(test)
  const create = ['partner', 'create', '--id', 'acme', '--name', 'Acme', '--tenant', 't1']
  for (const command of [create, ['export', '--out', path]])
    textOf(await runCommand(command, { cwd, environment }))
}

function anOlderFolder(test: TestContext) {
  const cwd = temporaryFolder(test)
  mkdirSync(join(cwd, 'data'))
  const path = join(cwd, database)
  olderFile(path)
  return { cwd, path, run: (...args: string[]) => runCommand(args, { cwd, environment }) }
}

describe('a ledger of an older version', { concurrency: 2 }, () => {
  test('is left as it is by every command but serve and migrate, and each names what to run', async (t) => {
    const { cwd, path, run } = anOlderFolder(t)
    await exportTo(join(cwd, 'ledger.jsonl'), t)
    // As a backup may be: to open it for writing would change both.
    const raw = new DatabaseSync(path)
    raw.exec('PRAGMA journal_mode = DELETE')
    raw.close()
    chmodSync(path, 0o640)
    const before = readFileSync(path)
    for (const command of commands) {
      assert.match(
        complaintOf(await run(...command), 1),
        /layout of an older version .*stop the server, back it up, and run node bin\/partner-credit\.js migrate$/m,
      )
    }
    assert.ok(readFileSync(path).equals(before))
    assert.equal(statSync(path).mode & 0o777, 0o640)
  })

  test('is not changed under the server that is still running on it', async (t) => {
    const { cwd, path, run } = anOlderFolder(t)
    const before = readFileSync(path)
    const olderServer = lockForServing(path)
    t.after(() => olderServer.release())
    assert.match(complaintOf(await run('migrate'), 1), /another server is running on .*: stop it first/)
    const ports = { PORT: '0', OPERATOR_PORT: '0' }
    const served = await runCommand(['serve'], { cwd, environment: ports })
    assert.match(complaintOf(served, 1), /another server is running on .*: stop it first/)
    assert.ok(readFileSync(path).equals(before))
  })

  test('is brought up to date by migrate, and then every command works and it is sound', async (t) => {
    const { run } = anOlderFolder(t)
    assert.match(textOf(await run('migrate')), /^migrated: 0005-audit-chain-and-default-caps\.sql/)
    assert.match(textOf(await run('partner', 'list')), /^acme/m)
    assert.match(textOf(await run('verify')), /^sound: /)
  })

  test('keeps the caps that migrate finds in its environment', async (t) => {
    const { cwd, run } = anOlderFolder(t)
    textOf(await runCommand(['migrate'], { cwd, environment: { CAP_PER_TX: '5' } }))
    assert.match(textOf(await run('defaults', 'show')), /^5 +1000000 +20000 +\d{4}-/m)
    assert.match(textOf(await run('verify')), /^sound: /)
    const { stderr } = await runCommand(['migrate'], { cwd, environment: { CAP_PER_TX: '6' } })
    assert.match(stderr, /CAP_PER_TX=6 differs from the ledger's 5 and is ignored/)
  })

  test('is brought up to date by serve', async (t) => {
    const { cwd, run } = anOlderFolder(t)
    const server = await startServerProcess(environment, { cwd })
    t.after(() => server.end('SIGKILL'))
    await server.end('SIGTERM')
    assert.match(textOf(await run('verify')), /^sound: /)
  })
})

test('a ledger of a newer version is refused by every command, by the name of what it has', async (t) => {
  const { cwd, path, run } = anOlderFolder(t)
  await exportTo(join(cwd, 'ledger.jsonl'), t)
  textOf(await run('migrate'))
  const raw = new DatabaseSync(path)
  raw.exec("INSERT INTO migrations (name, sha256) VALUES ('9999-from-the-future.sql', 'x')")
  raw.close()
  for (const command of [...commands, ['migrate']]) {
    const result = await runCommand(command, { cwd, environment })
    assert.match(complaintOf(result, 1), /newer version of this program \(it has 9999-from-the-future\.sql\)/)
  }
})
