import assert from 'node:assert/strict'
import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import pino from 'pino'
import { noAddressLimit } from '../../test/support/no-address-limit.ts'
import { systemClock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import { createOperatorListener } from './app.ts'
import { ApiProblem, problemBody } from './api/problem.ts'
import { type ApiThread, ThreadBusy } from './api/thread/api-thread.ts'

test("a problem document of the operator's port names no page that is not served there", async (t) => {
  const thread: ApiThread = {
    ask: async () => {
      throw new ThreadBusy('too many requests are waiting')
    },
    close: async () => {},
  }
  const listener = createOperatorListener({
    log: pino({ enabled: false }),
    ready: async () => {
      throw new Unavailable('the store is away')
    },
    addressLimit: noAddressLimit,
    api: { thread, clock: systemClock },
  })
  const url = await listener.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => listener.drain(0))

  const refused: [path: string, init?: RequestInit][] = [
    ['/readyz'],
    ['/nothing'],
    ['/livez', { method: 'POST' }],
    ['/%zz'],
    ['/operator/v1/overview'],
    ['/operator/v1/defaults/caps', { method: 'PUT', body: 'x'.repeat(70_000) }],
  ]
  for (const [path, init] of refused) {
    const response = await fetch(`${url}${path}`, init)
    assertBlank(response.status, await response.text())
  }
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.end('this is not HTTP\r\n\r\n')
  const sent = Buffer.concat(await socket.toArray()).toString()
  assertBlank(400, sent.slice(sent.indexOf('{')))
  assertBlank(422, JSON.stringify(problemBody(new ApiProblem('REFUSED', 'no'), 'r')))
})

/** As RFC 9457 says: then the title is the name of the status. */
function assertBlank(status: number, body: string): void {
  const { type, title, ...others } = JSON.parse(body)
  assert.deepEqual([type, others.status, title], ['about:blank', status, STATUS_CODES[status]])
}
