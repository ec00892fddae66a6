import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { familyOf } from '../support/process-family.ts'
import { temporaryFolder } from '../support/service.ts'

const slow = { withinMs: 30_000 }

for (const script of ['start', 'demo']) {
  test(`SIGTERM to the process of npm itself ends npm run ${script}, and both ports are free`, async (t) => {
    const { npm, ports, pids } = await startByNpm(t, script)
    npm.kill('SIGTERM')
    await eventually('nobody listens any more', async () => (await free(ports)).every(Boolean), slow)
    await eventually('no process of it is left', () => pids.every((pid) => !isAlive(pid)), slow)
  })
}

/** Returns the ids of all processes from npm down to the server. */
async function startByNpm(t: TestContext, script: string) {
  const ports = await Promise.all([aFreePort(), aFreePort()])
  const env = {
    ...process.env,
    PORT: String(ports[0]),
    OPERATOR_PORT: String(ports[1]),
    DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
  }
  const npm = spawn('npm', ['run', script], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let pids = [npm.pid!]
  t.after(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  await printed(npm, /Partner Credit/)
  pids = await familyOf(npm.pid!)
  assert.ok(pids.length > 1, 'npm has started something')
  return { npm, ports, pids }
}

async function printed(child: ChildProcess, wanted: RegExp): Promise<void> {
  let text = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await eventually(`it prints ${wanted}`, () => wanted.test(text), slow)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function free(ports: number[]): Promise<boolean[]> {
  return Promise.all(
    ports.map(
      (port) =>
        new Promise<boolean>((resolve) => {
          const server = createServer()
          server.once('error', () => resolve(false))
          server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
        }),
    ),
  )
}

async function aFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
