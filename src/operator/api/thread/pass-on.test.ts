import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import pino from 'pino'
import { eventually } from '../../../../test/support/eventually.ts'
import { noAddressLimit } from '../../../../test/support/no-address-limit.ts'
import { systemClock } from '../../../clock.ts'
import { createOperatorListener } from '../../app.ts'
import type { ApiThread } from './api-thread.ts'

test('operators who read large responses slowly cost the memory of a few of them, and everybody else waits', async (t) => {
  const bytes = 30_000_000
  const thread: ApiThread = {
    ask: async () => ({
      id: 1,
      status: 200,
      headers: {},
      body: new Uint8Array(bytes),
      code: null,
      signedInAs: 'mai',
    }),
    close: async () => {},
  }
  const listener = createOperatorListener({
    log: pino({ enabled: false }),
    ready: async () => [],
    addressLimit: noAddressLimit,
    api: { thread, clock: systemClock },
  })
  const url = await listener.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => listener.drain(0))
  async function report(): Promise<{ status: number; body: Buffer }> {
    const response = await fetch(`${url}/operator/v1/reports`)
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
  }
  const slow = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      t.after(() => socket.destroy())
      await once(socket, 'connect')
      socket.write('GET /operator/v1/reports HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(socket, 'readable')
      return socket
    }),
  )
  const refused = await report()
  assert.equal(refused.status, 503)
  assert.match(refused.body.toString(), /too many large responses are being read: try again/)

  for (const socket of slow) socket.destroy()
  await eventually('room again', async () => (await report()).body.length === bytes)
})
