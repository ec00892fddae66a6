import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

test('a request is in the log soon, also if none comes after it, and an orderly end loses no line', async (t) => {
  const server = await startServerProcess({
    DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  t.after(() => server.end('SIGKILL'))
  const requests = () => server.log.filter((line) => JSON.parse(line).msg === 'request').length

  await fetch(`${server.url}/livez`)
  await eventually('the request is in the log of a server that goes on', () => requests() === 1)

  for (let count = 0; count < 20; count++) await fetch(`${server.url}/livez`)
  await server.end('SIGTERM')
  assert.equal(await server.allGone, 0)
  assert.equal(requests(), 21)
})

test('LOG_LEVEL=warn: no line for a request, nor for a start and a stop', async (t) => {
  const server = await startServerProcess({
    DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'warn',
  })
  t.after(() => server.end('SIGKILL'))
  assert.equal((await fetch(`${server.url}/livez`)).status, 200)
  await server.end('SIGTERM')
  assert.equal(await server.allGone, 0)
  assert.deepEqual(server.log, [])
})

async function aServerWithLog(t: TestContext, logFile: string) {
  const environment = {
    DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const server = await startServerProcess(environment, { logFile })
  t.after(() => server.end('SIGKILL'))
  return server
}

/** More lines than a pipe holds. */
async function logMuch({ url }: { url: string }): Promise<void> {
  for (let count = 0; count < 300; count++) assert.equal((await fetch(`${url}/livez`)).status, 200)
}

const skip = existsSync('/dev/full') ? false : 'needs /dev/full'

test('a server whose log is on a full disk goes on, and SIGTERM ends it', { skip }, async (t) => {
  const server = await aServerWithLog(t, '/dev/full')
  await logMuch(server)
  assert.equal(await server.end('SIGTERM'), 0)
})

test('a server whose log nobody reads goes on, and SIGTERM ends it', async (t) => {
  const pipe = join(temporaryFolder(t), 'log')
  execFileSync('mkfifo', [pipe])
  const unread = openSync(pipe, 'r+')
  t.after(() => closeSync(unread))
  const server = await aServerWithLog(t, pipe)
  await logMuch(server)
  assert.equal(await server.end('SIGTERM'), 0)
})

test('a server whose first words cannot be printed serves, and SIGTERM ends it', { skip }, async (t) => {
  const child = spawn(process.execPath, ['bin/partner-credit.js', 'serve'], {
    env: {
      ...process.env,
      PORT: '0',
      OPERATOR_PORT: '0',
      DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
    stdio: ['ignore', openSync('/dev/full', 'a'), 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const [line] = await once(createInterface(child.stderr!), 'line')
  // It prints right after this line.
  for (let count = 0; count < 20; count++)
    assert.equal((await fetch(`${JSON.parse(line).partnerUrl}/livez`)).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
