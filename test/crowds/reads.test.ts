import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aListener, answersIn, get, post, slow } from '../support/http-listener.ts'
import { requestText } from '../support/raw-http.ts'
import { limits } from '../../src/wire/limits.ts'

const inChunks = requestText('POST /held HTTP/1.1', ['Host: a', 'Transfer-Encoding: chunked'])

describe('bytes that become no request', { concurrency: true }, () => {
  for (const [what, head, bytes] of [
    ['empty lines', '', '\r\n'],
    ['empty lines between requests', '', get('/livez') + '\r\n'.repeat(50_000)],
    ['zeros before the size of a chunk', inChunks, '0'],
  ] as const) {
    test(`${what} are read up to a limit for all connections of a listener, also behind a request that has its response: then the connection is closed`, async (t) => {
      const listener = await aListener(t)
      const accepted: Promise<Socket[]> = once(listener.http.app.server, 'connection')
      const client = await listener.connect()
      client.write(get('/livez'))
      await eventually('answered', () => answersIn(client.received()).length === 1, slow)
      client.write(head + bytes.repeat((8 * limits.wastedBytesPerSecond) / bytes.length))
      await eventually('it is refused', () => listener.counts().brokenHttp === 1, slow)
      await eventually('closed', () => client.resume().destroyed, slow)
      const [socket] = await accepted
      assert.ok(socket!.bytesRead < 7 * limits.wastedBytesPerSecond, `${socket!.bytesRead} bytes were read`)
    })
  }

  test('empty lines behind a request without a response, so many of them, end the connection after that response', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    client.write(post('/held'))
    client.write('\r\n'.repeat(4 * limits.wastedBytesPerSecond))
    await eventually('they are refused', () => listener.counts().brokenHttp === 1, slow)
    assert.equal(client.received(), '')
    listener.letGo()
    await eventually('answered', () => answersIn(client.received()).length > 0, slow)
    assert.deepEqual(answersIn(client.received()), [200])
    await eventually('closed', () => client.resume().destroyed, slow)
  })

  test('a few empty lines before a request are skipped, and requests are no waste, however many and large', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    const count = 600
    const each = `${'\r\n'.repeat(100)}${post('/held', 'x'.repeat(limits.bodyBytesMax))}`
    client.write(each.repeat(count))
    await eventually('all are answered', () => answersIn(client.received()).length === count, slow)
    assert.deepEqual(new Set(answersIn(client.received())), new Set([200]))
  })
})
