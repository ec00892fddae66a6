import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/wire/limits.ts'
import { eventually } from '../support/eventually.ts'
import { aListener, post, slow } from '../support/http-listener.ts'

test('while few slots are left, a request has less time to arrive, and its slot is free earlier', async (t) => {
  const listener = await aListener(t)
  const { server } = listener.http.app
  const clients: Socket[] = []
  while (clients.length <= limits.connectionsCrowded) {
    const client = await listener.connect()
    client.write(post('/held', 'xx').slice(0, -1))
    clients.push(client)
  }
  await eventually('it is short', () => server.requestTimeout === limits.requestTimeoutCrowdedMs, slow)
  await eventually('all are closed', async () => (await listener.open()) === 0, slow)
  assert.equal(listener.counts().brokenHttp, clients.length)
  await eventually('it is as usual', () => server.requestTimeout === limits.requestTimeoutMs, slow)
})
