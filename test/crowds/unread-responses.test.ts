import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aListener, answersIn, get, noMorePages, post, slow } from '../support/http-listener.ts'
import { requestText } from '../support/raw-http.ts'
import { limits } from '../../src/wire/limits.ts'

const connectText = requestText('CONNECT a:1 HTTP/1.1', ['Host: a'])

/** A client that reads none of its responses, once it is watched; and our side of its connection. */
async function unreadOn(listener: Awaited<ReturnType<typeof aListener>>, requests: string) {
  const accepted = once(listener.http.app.server, 'connection') as Promise<[Socket]>
  const client = await listener.connect()
  const [socket] = await accepted
  client.pause()
  client.write(requests)
  await eventually('it is watched', () => socket.timeout === limits.unreadTimeoutMs, slow)
  return { listener, client, socket }
}

describe('responses that are not read', { concurrency: true }, () => {
  test('the next response of a client that does not read is not even made', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    client.pause()
    client.write(get('/large').repeat(100))
    const asked = await listener.connect()
    const pages = await noMorePages(listener)
    assert.ok(pages < 50, `${pages} MB for a client that reads nothing`)
    asked.write(get('/livez'))
    await eventually('others are answered', () => answersIn(asked.received()).length === 1, slow)

    client.resume()
    let bytes = 0
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await eventually('all pages have come', () => bytes > 100 * 1_000_000, slow)
  })

  test('a connection that was closed because its responses were not read holds no kernel memory either', async (t) => {
    const { listener, client, socket } = await unreadOn(await aListener(t), get('/large').repeat(60))
    client.end()
    socket.emit('timeout') // instead of waiting for it
    const ended = once(client, 'end')
    client.resume()
    await assert.rejects(ended, { code: 'ECONNRESET' }, 'what the client has not read is discarded')
    assert.equal(listener.counts().unreadClosed, 1)
  })

  test('a client that does not read its response is disconnected, also if it goes on sending', async (t) => {
    const { listener, client, socket } = await unreadOn(await aListener(t), get('/large').repeat(10))
    socket.setTimeout(200) // instead of waiting for it
    const sending = setInterval(() => client.write('\r\n'), 10)
    t.after(() => clearInterval(sending))
    await eventually('it is closed', () => listener.counts().unreadClosed === 1, slow)
  })

  test('a client that has read its response late may take its time for the next request', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const { client, socket } = await unreadOn(listener, get('/large').repeat(10) + post('/held'))
    client.resume()
    await eventually('it is no longer watched', () => socket.timeout === 0, slow)
    listener.letGo()
  })

  test('a drain ends a connection that asked for a tunnel and reads nothing', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    client.pause()
    client.write(get('/large').repeat(60) + connectText)
    await noMorePages(listener)
    let ended = false
    void listener.http.drain(0).then(() => {
      ended = true
    })
    await eventually('the drain has ended', () => ended, slow)
  })
})
