import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/wire/limits.ts'
import { eventually } from '../support/eventually.ts'
import { aListener, get, post, slow } from '../support/http-listener.ts'

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

  const [there, here, held] = [await other.connect(), await crowded.connect(), await crowded.connect()]
  // Reading from it pauses for a while, which does not count against it.
  held.write(get('/none').repeat(3 * limits.unfinishedPerConnectionMax))
  for (const client of [there, here, held]) client.resume().write(post('/held', 'xx').slice(0, -1))
  await Promise.all([once(here, 'close'), once(held, 'close')])
  assert.deepEqual([crowded.counts().brokenHttp, other.counts().brokenHttp], [2, 0])
  crowded.letGo()
  for (const client of clients) client.destroy()
  await eventually('it is as usual', () => server.requestTimeout === limits.requestTimeoutMs, slow)
  assert.deepEqual(timeouts(), Array(2).fill(limits.requestTimeoutMs))
})
