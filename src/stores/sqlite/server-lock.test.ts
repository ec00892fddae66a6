import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { lockForServing } from './server-lock.ts'

const refusal =
  /another server is running on .*ledger\.db: stop it first, or give this one its own DATABASE_URL/

test('a second server on one file is refused, and allowed after the first has stopped', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const first = await openSqliteLedger(t, path)
  await assert.rejects(openSqliteLedger(t, path), refusal)
  await assert.rejects(openSqliteLedger(t, path), refusal, 'again')
  assert.equal((await first.writer.award(anOrder('A1'))).kind, 'credited', 'the first is not disturbed')
  await first.close()
  const second = await openSqliteLedger(t, path)
  assert.equal((await second.writer.award(anOrder('A1'))).kind, 'duplicate')
})

test('servers on different files do not mind each other', (t) => {
  const folder = temporaryFolder(t)
  const locks = ['a.db', 'b.db'].map((name) => lockForServing(join(folder, name)))
  for (const lock of locks) lock.release()
})

test('a lock that cannot be made for another reason is told as that', (t) => {
  assert.throws(() => lockForServing(join(temporaryFolder(t), 'missing', 'ledger.db')), /unable to open/)
})

test('verify and the command line work beside a server', async (t) => {
  const { path, writer } = await openSqliteLedger(t, join(temporaryFolder(t), 'ledger.db'))
  await writer.award(anOrder('A1'))
  assert.equal((await verifyFile(path)).entries, 1)
})

test('while another process serves it is refused, and after kill -9 of that process allowed', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
  const flags = ['serve', '--json', '--port', '0', '--operator-port', '0', '--database-url', `sqlite:${path}`]
  const server = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => server.kill('SIGKILL'))
  const exited = once(server, 'exit')
  await once(server.stdout, 'data')
  assert.throws(() => lockForServing(path), refusal)

  server.kill('SIGKILL')
  assert.deepEqual(await exited, [null, 'SIGKILL'])
  const { writer } = await openSqliteLedger(t, path)
  assert.equal((await writer.award(anOrder('A1'))).kind, 'credited')
})
