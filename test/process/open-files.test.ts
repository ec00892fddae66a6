import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { environmentOf, makeAcmeFile } from '../support/acme-file.ts'
import { anAwardBody, createClient } from '../support/client.ts'
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

  const open = async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(
      socket.on('error', () => {}),
      'connect',
    )
    return socket
  }
  const ours = await open()
  async function answerTo(request: string): Promise<string> {
    ours.write(request)
    return String((await Promise.race([once(ours, 'data'), once(ours, 'close')]))[0]).split('\r\n')[0]!
  }
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
  const strangers = await Promise.all(Array.from({ length: filesMax }, open))
  // The first page needs a thread, which cannot be started now, unless the journal's could not be started either.
  assert.match(await history(), / (503|200) /)
  assert.match(await award('A2'), / 202 /)
  for (const socket of strangers) socket.destroy()
  await eventually('there are files again', async () => / 200 /.test(await history()))
  ours.destroy()
})
