import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { familyOf } from '../support/process-family.ts'
import { temporaryFolder } from '../support/service.ts'

const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname
const systemNode = '/usr/bin/node'

/** The pinned Node serves itself; an older one starts the pinned one. */
for (const node of new Set([process.execPath, existsSync(systemNode) ? systemNode : process.execPath])) {
  test(`SIGUSR1 opens no debugger in any process of a server started by ${node}, and it continues`, async (t) => {
    const { server, log, assertServes } = await startServer(t, node)
    for (const pid of await familyOf(server.pid!)) process.kill(pid, 'SIGUSR1')
    await assertServes()
    assert.doesNotMatch(log(), /debugger/i)
  })

  test(`a debugger that SIGUSR1 opens before ${node} runs our code is closed before it serves`, async (t) => {
    const { log, assertServes } = await startServer(t, node, ['--inspect-port=0', '--import', signalsItself])
    const [, port] = /Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(log()) ?? []
    assert(port, 'the signal came in time')
    const socket = connect(Number(port), '127.0.0.1')
    await assert.rejects(once(socket, 'connect'), /ECONNREFUSED/)
    await assertServes()
  })
}

const signalsItself = `data:text/javascript,process.kill(process.pid, 'SIGUSR1')`

async function startServer(t: TestContext, node: string, options: string[] = []) {
  const env = {
    ...process.env,
    PORT: '0',
    OPERATOR_PORT: '0',
    DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
  }
  const server = spawn(node, [...options, launcher, 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(server, 'exit')
  t.after(() => server.kill('SIGKILL'))
  let log = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const [line] = await once(createInterface(server.stdout), 'line')
  async function assertServes(): Promise<void> {
    const { partnerUrl } = JSON.parse(line)
    for (let turn = 0; turn < 5; turn++) assert.equal((await fetch(`${partnerUrl}/livez`)).status, 200)
    server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  }
  return { server, log: () => log, assertServes }
}
