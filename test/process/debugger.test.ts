import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { familyOf } from '../support/process-family.ts'
import { temporaryFolder } from '../support/service.ts'

const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname
const systemNode = '/usr/bin/node'

/** The pinned Node serves itself; an older one starts the pinned one. */
for (const node of new Set([process.execPath, existsSync(systemNode) ? systemNode : process.execPath])) {
  test(`SIGUSR1 opens no debugger in any process of a server started by ${node}, and it continues`, async (t) => {
    const env = {
      ...process.env,
      PORT: '0',
      OPERATOR_PORT: '0',
      DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
    }
    const server = spawn(node, [launcher, 'serve', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = once(server, 'exit')
    t.after(() => server.kill('SIGKILL'))
    let log = ''
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const [line] = await once(createInterface(server.stdout), 'line')
    for (const pid of await familyOf(server.pid!)) process.kill(pid, 'SIGUSR1')

    const { partnerUrl } = JSON.parse(line)
    for (let turn = 0; turn < 5; turn++) assert.equal((await fetch(`${partnerUrl}/livez`)).status, 200)
    server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    assert.doesNotMatch(log, /debugger/i)
  })
}
