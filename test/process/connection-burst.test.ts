import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

/** More than the 511 that Node asks for by itself. */
const burst = 1_000

test('a thousand connections that come while the server is busy are made at once, not when they try again after a second', async (t) => {
  const kernelMax = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  if (kernelMax < burst) return t.skip(`this kernel keeps ${kernelMax} of them waiting at most`)
  const server = await startServerProcess({
    DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}`,
  })
  t.after(() => server.end('SIGKILL'))
  server.signal('SIGSTOP') // it accepts nobody
  let made = 0
  for (let number = 0; number < burst; number++) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => made++)
    socket.on('error', () => {})
    t.after(() => socket.destroy())
  }
  await eventually('all are made', () => made === burst)
})
