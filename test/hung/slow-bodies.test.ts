import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/wire/limits.ts'
import { eventually } from '../support/eventually.ts'
import { aListener, post, slow } from '../support/http-listener.ts'

test('while few slots are left, headers and body have less time to arrive, and the slot is free earlier', async (t) => {
  const [crowded, other] = [await aListener(t), await aListener(t)]
  const { server } = crowded.http.app
  const timeouts = () => [server.headersTimeout, server.requestTimeout]
  crowded.hold()
  const clients: Socket[] = []
  while (clients.length <= limits.connectionsCrowded) {
    const client = await crowded.connect()
    client.write(post('/held', 'xx'))
    clients.push(client)
  }
  await eventually('it is short', () => server.requestTimeout === limits.requestTimeoutCrowdedMs, slow)
  // If the first were longer, Node would take the second for the headers and the first for the body.
  assert.deepEqual(timeouts(), Array(2).fill(limits.requestTimeoutCrowdedMs))

  const [there, here] = [await other.connect(), await crowded.connect()]
  for (const client of [there, here]) client.resume().write(post('/held', 'xx').slice(0, -1))
  await once(here, 'close')
  assert.deepEqual([crowded.counts().brokenHttp, other.counts().brokenHttp], [1, 0])
  crowded.letGo()
  for (const client of clients) client.destroy()
  await eventually('it is as usual', () => server.requestTimeout === limits.requestTimeoutMs, slow)
  assert.deepEqual(timeouts(), Array(2).fill(limits.requestTimeoutMs))
})
