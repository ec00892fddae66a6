import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { identityOf } from '../../../src/operator/api/verification/record.ts'
import { eventually } from '../../support/eventually.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { type Lifetime, temporaryFolder } from '../../support/service.ts'
import { workersMasterKey } from '../../support/workers.ts'

const launcher = new URL('../../../bin/partner-credit.js', import.meta.url).pathname

test('SIGTERM before the workers serve ends all of them, one that hangs included', async (t) => {
  const { supervisor, worker, ended } = await aHangingWorker(t)
  supervisor.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await assertGone(worker)
})

for (const pauseMs of [50, 700]) {
  test(`so does a second signal ${pauseMs} ms after it: one Ctrl-C may arrive from the terminal and from the launcher`, async (t) => {
    const { supervisor, worker, ended } = await aHangingWorker(t)
    supervisor.kill('SIGINT')
    await sleep(pauseMs)
    supervisor.kill('SIGINT')
    const [, signal] = await ended
    assert.equal(signal, null)
    await assertGone(worker)
  })
}

async function aHangingWorker(t: Lifetime) {
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
  t.after(() => void supervisor.kill('SIGKILL'))
  const ended = once(supervisor, 'exit')
  const [line] = (await once(createInterface(supervisor.stderr), 'line')) as [string]
  const { worker, msg } = JSON.parse(line)
  assert.equal(msg, 'worker starting')
  process.kill(worker, 'SIGSTOP')
  t.after(() => {
    if (identityOf(worker) !== null) process.kill(worker, 'SIGKILL')
  })
  return { supervisor, worker: worker as number, ended }
}

/** Not `process.kill(pid, 0)`: whoever inherits it may not have asked yet how it ended. */
function assertGone(worker: number): Promise<void> {
  return eventually('the worker has ended', () => identityOf(worker) === null)
}
