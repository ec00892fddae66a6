import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { freshDatabase } from '../../support/fresh-database.ts'
import { temporaryFolder } from '../../support/service.ts'
import { workersMasterKey } from '../../support/workers.ts'

const launcher = new URL('../../../bin/partner-credit.js', import.meta.url).pathname

test('SIGTERM before the workers serve ends all of them, one that hangs included', async (t) => {
  const { url, remove } = await freshDatabase()
  t.after(remove)
  const supervisor = spawn(process.execPath, [launcher, 'serve', '--workers', '2'], {
    cwd: temporaryFolder(t),
    env: {
      ...process.env,
      ...{ PORT: '0', OPERATOR_PORT: '0', DATABASE_URL: url },
      MASTER_KEY: workersMasterKey.toString('base64'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => supervisor.kill('SIGKILL'))
  const ended = once(supervisor, 'exit')
  const [line] = (await once(createInterface(supervisor.stderr), 'line')) as [string]
  const { worker, msg } = JSON.parse(line)
  assert.equal(msg, 'worker starting')
  process.kill(worker, 'SIGSTOP')
  supervisor.kill('SIGTERM')
  const [code] = await ended
  const isLeft = isAlive(worker)
  if (isLeft) process.kill(worker, 'SIGKILL')
  assert.deepEqual([code, isLeft], [0, false])
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
