import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { environmentOf, makeAcmeFile } from '../support/acme-file.ts'
import { anAwardBody, createClient } from '../support/client.ts'
import { runCommand } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { headerLines, requestText } from '../support/raw-http.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

/** More than a server needs for itself, and far less than it can have connections. */
const filesMax = 100

test('strangers who use up all open files do not end the server, which warns at its start that they can use them up', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const key = await makeAcmeFile(path)
  const environment = environmentOf(path)
  const server = await startServerProcess(environment, { limit: `-n ${filesMax}` })
  t.after(() => server.end('SIGKILL'))
  const warning = /this process may open 100 files, but .* raise the limit/
  await eventually('it is in the log', () => server.log.some((line) => warning.test(line)))

  const ours = await open(server.url)
  const answerTo = async (request: string) => (await responseOn(ours, request)).split('\r\n')[0]!
  const acme = createClient(server.url, key, systemClock)
  function award(orderId: string): Promise<string> {
    const body = JSON.stringify(anAwardBody({ orderId }))
    const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`]
    return answerTo(
      requestText('POST /v1/ep/webhook HTTP/1.1', [...lines, ...headerLines(acme.headers(body))], body),
    )
  }
  const history = () =>
    answerTo(
      requestText('GET /v1/ep/webhook/awards?tenantId=t1 HTTP/1.1', [
        'Host: localhost',
        ...headerLines(acme.headers('t1')),
      ]),
    )
  assert.match(await award('A1'), / 202 /)
  const strangers = await strangersAt(server.url)
  // The first page needs a thread, which cannot be started now, unless the journal's could not be started either.
  assert.match(await history(), / (503|200) /)
  assert.match(await award('A2'), / 202 /)
  for (const socket of strangers) socket.destroy()
  await eventually('there are files again', async () => / 200 /.test(await history()))
  ours.destroy()
})

test('a verification that cannot be started for want of open files is 503, and ends nothing else of the operator API', async (t) => {
  const cwd = temporaryFolder(t)
  const path = join(cwd, 'ledger.db')
  await makeAcmeFile(path)
  const environment = environmentOf(path)
  const scopes = ['verification.start', 'verification.read'].flatMap((scope) => ['--scope', scope])
  const { stdout } = await runCommand(['token', 'create', 'x', ...scopes, '--expires', '1d', '--json'], {
    cwd,
    environment,
  })
  const { secret } = JSON.parse(stdout)
  const server = await startServerProcess(environment, { limit: `-n ${filesMax}` })
  t.after(() => server.end('SIGKILL'))
  const ours = await open(server.operatorUrl)
  const verification = (method: string) =>
    responseOn(
      ours,
      requestText(`${method} /operator/v1/verification HTTP/1.1`, [
        'Host: localhost',
        `Authorization: Bearer ${secret}`,
        'Content-Length: 0',
      ]),
    )
  assert.match(await verification('GET'), / 200 /)
  const strangers = await strangersAt(server.url)
  // The last ones may not be accepted yet.
  await eventually('it cannot be started', async () =>
    (await verification('POST')).includes('"the verification could not be started: try again"'),
  )
  assert.match(await verification('GET'), / 200 /)
  for (const socket of strangers) socket.destroy()
  await eventually('there are files again', async () => / 202 /.test(await verification('POST')))
  ours.destroy()
})

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(
    socket.on('error', () => {}),
    'connect',
  )
  return socket
}

/** More than the server can have open files for. */
function strangersAt(url: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: filesMax }, () => open(url)))
}

async function responseOn(socket: Socket, request: string): Promise<string> {
  socket.write(request)
  return String((await Promise.race([once(socket, 'data'), once(socket, 'close')]))[0])
}
