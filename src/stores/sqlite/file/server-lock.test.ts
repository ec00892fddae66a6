import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { eventually } from '../../../../test/support/eventually.ts'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../../../test/support/sqlite-ledger.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { isServed, lockForServing } from './server-lock.ts'

const refusal =
  /another server is running on .*ledger\.db: stop it first, or give this one its own DATABASE_URL/

test('a second server on one file is refused, and allowed after the first has stopped', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const first = await openSqliteLedger(t, path)
  await assert.rejects(openSqliteLedger(t, path), refusal)
  await assert.rejects(openSqliteLedger(t, path), refusal, 'again')
  assert.equal((await first.store.ledger.award(anOrder('A1'))).kind, 'credited', 'the first is not disturbed')
  await first.close()
  const second = await openSqliteLedger(t, path)
  assert.equal((await second.store.ledger.award(anOrder('A1'))).kind, 'duplicate')
})

test('a second server is refused by whatever name the file is known', async (t) => {
  const folder = temporaryFolder(t)
  await openSqliteLedger(t, join(folder, 'ledger.db'))
  symlinkSync('ledger.db', join(folder, 'alias.db'))
  await assert.rejects(openSqliteLedger(t, join(folder, 'alias.db')), refusal)
})

test('a lock file that somebody removes from a running server is made again, and a second server is still refused', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store } = await openSqliteLedger(t, path)
  rmSync(`${path}-server`)
  await eventually('it is made again', () => existsSync(`${path}-server`))
  await assert.rejects(openSqliteLedger(t, path), refusal)
  assert.equal((await store.ledger.award(anOrder('A1'))).kind, 'credited')
})

/** What each new award says: `credited`, or why it is refused. */
function awardsOn({ award }: Ledger): () => Promise<string> {
  let number = 0
  return () =>
    award(anOrder(`A${++number}`)).then(
      ({ kind }) => kind,
      ({ message }) => message,
    )
}

test('where a second server was faster, the first stops to award, until it is alone again', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { ledger } = (await openSqliteLedger(t, path)).store
  const award = awardsOn(ledger)
  rmSync(`${path}-server`)
  const second = lockForServing(path)
  await eventually('it stops', async () => /another one has started/.test(await award()))
  await assert.rejects(ledger.ready(), /l?edger\.db-server was removed .*: stop one of the two$/)
  second.release()
  await eventually('it goes on', async () => (await award()) === 'credited')
})

test('a server that has lost its place says what is in the way of taking it again', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const award = awardsOn((await openSqliteLedger(t, path)).store.ledger)
  rmSync(`${path}-server`)
  const second = lockForServing(path)
  await eventually('it stops', async () => /another one has started/.test(await award()))
  rmSync(`${path}-server`)
  writeFileSync(`${path}-server`, 'a note')
  await eventually('it names the file', async () =>
    /ledger\.db-server has content.*: remove it$/.test(await award()),
  )
  second.release()
  rmSync(`${path}-server`)
  await eventually('it goes on', async () => (await award()) === 'credited')
})

test('text in the lock file changes nothing for a server that has it, and verify does not take it for damage', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const first = await openSqliteLedger(t, path)
  // By another process: to close the file here would release the lock.
  execFileSync('sh', ['-c', 'echo note >> "$0"', `${path}-server`])
  await assert.rejects(openSqliteLedger(t, path), refusal)
  assert.equal((await first.store.ledger.award(anOrder('A1'))).kind, 'credited')
  assert.equal(isServed(path), true)
  await first.close()
  assert.equal(isServed(path), false)
  assert.equal((await verifyFile(path)).fault, null)
  await assert.rejects(openSqliteLedger(t, path), /ledger\.db-server has content.*: remove it$/)
  rmSync(`${path}-server`)
  await openSqliteLedger(t, path)
})

test('a start that fails gives the lock back', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  await (await openSqliteLedger(t, path)).close()
  const file = new DatabaseSync(path)
  file.exec("INSERT INTO migrations (name, sha256) VALUES ('9999-from-the-future.sql', 'x')")
  await assert.rejects(openSqliteLedger(t, path), /newer version/)
  file.exec("DELETE FROM migrations WHERE name LIKE '9999%'")
  file.close()
  await openSqliteLedger(t, path)
})

test('checking whether a server runs, as verify does, does not prevent a server from starting', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  lockForServing(path).release()
  const look = `
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
    const database = new DatabaseSync(workerData, { readOnly: true })
    database.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    parentPort.postMessage('looking')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    database.close()`
  const looking = new Worker(look, { eval: true, workerData: `${path}-server` })
  await once(looking, 'message')
  lockForServing(path).release()
  await once(looking, 'exit')
})

/** Linux's list of locks: `1: POSIX ADVISORY READ 4519 fe:00:2229353 …`, with the process and the inode. */
const locksFile = '/proc/locks'

function isLocked(path: string): boolean {
  const lock = new RegExp(` ${process.pid} \\w+:\\w+:${statSync(path).ino} `)
  return lock.test(readFileSync(locksFile, 'utf8'))
}

test('a server keeps its locks, so that no program that closes the file takes its log away', async (t) => {
  if (!existsSync(locksFile)) return t.skip(`needs ${locksFile}`)
  const path = join(temporaryFolder(t), 'ledger.db')
  const query = { partnerId: 'acme', tenantId: 't1', beforeSeq: null, limit: 1 }
  for (const start of ['first', 'second']) {
    const { store, close } = await openSqliteLedger(t, path)
    await store.ledger.award(anOrder(start))
    await store.ledger.historyPage(query)
    await verifyFile(path)
    await assert.rejects(openSqliteLedger(t, path), refusal)
    assert.ok(isLocked(path), `the ledger, at the ${start} start`)
    assert.ok(isLocked(`${path}-server`), `the place of the server, at the ${start} start`)
    await close()
  }
})

test('servers on different files do not mind each other', (t) => {
  const folder = temporaryFolder(t)
  const locks = ['a.db', 'b.db'].map((name) => lockForServing(join(folder, name)))
  for (const lock of locks) lock.release()
})

test('a lock that cannot be created for another reason is reported as that', (t) => {
  assert.throws(() => lockForServing(join(temporaryFolder(t), 'missing', 'ledger.db')), /no such file/)
})

test('files beside a ledger are readable by the owner only, even if an older program made them readable', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ledger.db')
  writeFileSync(`${path}-server`, '', { mode: 0o644 })
  await openSqliteLedger(t, path)
  const names = readdirSync(folder)
  for (const companion of ['', '-server', '-shm', '-wal']) assert.ok(names.includes(`ledger.db${companion}`))
  const open = names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
  assert.deepEqual(open, [])
})

test('verify and the command line work beside a server', async (t) => {
  const { path, store } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await store.ledger.award(anOrder('A1'))
  assert.equal((await verifyFile(path)).entries, 1)
})

test('while another process serves it is refused, and after kill -9 of that process allowed', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const main = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))
  const flags = ['serve', '--json', '--port', '0', '--operator-port', '0', '--database-url', `sqlite:${path}`]
  const server = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => server.kill('SIGKILL'))
  const exited = once(server, 'exit')
  await once(server.stdout, 'data')
  assert.throws(() => lockForServing(path), refusal)

  server.kill('SIGKILL')
  assert.deepEqual(await exited, [null, 'SIGKILL'])
  const { store } = await openSqliteLedger(t, path)
  assert.equal((await store.ledger.award(anOrder('A1'))).kind, 'credited')
})
