import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { aListener, answersIn, get, post, slow } from '../../test/support/http-listener.ts'
import { requestText } from '../../test/support/raw-http.ts'
import { limits } from './limits.ts'

/** So many of our shortest requests fit into one read of 64 KiB. */
const perReadMax = 2_200

describe('what many connections send at once', { concurrency: true }, () => {
  test('of what many connections send at once, more than 64 requests each, little is read, and they are closed', async (t) => {
    const listener = await aListener(t)
    let read = 0
    listener.http.app.server.on('request', () => read++)
    const others = await listener.connect()
    const floods = await Promise.all(Array.from({ length: 40 }, () => listener.connect()))
    for (const flood of floods) flood.write(get('/livez').repeat(perReadMax))
    others.write(get('/livez'))
    await eventually('others are answered', () => answersIn(others.received()).length === 1, slow)
    await eventually('most are closed', () => listener.counts().floodClosed >= 30, slow)
    const allowed = limits.beyondMaxPerSecond + floods.length * (limits.unfinishedPerConnectionMax + 1)
    assert.ok(read <= 2 * allowed, `${read} of ${floods.length * perReadMax} requests were read`)
  })

  test('while others flood, a few requests with large bodies are not too many, and of a hundred small ones 64 get responses', async (t) => {
    const listener = await aListener(t)
    const body = 'x'.repeat(1_000)
    const chunked = ['Host: a', 'Transfer-Encoding: chunked']
    const large =
      requestText('POST /held HTTP/1.1', chunked, `3e8\r\n${body}\r\n0\r\n\r\n`).repeat(10) +
      post('/held', body.repeat(9)).repeat(3)
    const responses = ({ received }: { received(): string }) => answersIn(received()).length
    for (let round = 1; round <= 3; round++) {
      const before = listener.counts().floodClosed
      const floods = await Promise.all(Array.from({ length: 6 }, () => listener.connect()))
      const [few, many] = [await listener.connect(), await listener.connect()]
      for (const flood of floods) flood.write(get('/livez').repeat(perReadMax))
      await eventually('the others flood', () => listener.counts().floodClosed > before, slow)
      few.write(large)
      many.write(post('/held').repeat(100))
      await eventually('few are answered', () => responses(few) === 13 || few.destroyed, slow)
      await eventually('many are answered', () => responses(many) === 100 || many.destroyed, slow)
      assert.equal(responses(few), 13)
      if (many.destroyed) {
        assert.equal(responses(many), limits.unfinishedPerConnectionMax)
        const last = many.received().slice(many.received().lastIndexOf('HTTP/1.1'))
        assert.match(last, /connection: close\r\n.*}$/is)
      }
      for (const flood of floods) flood.destroy()
    }
  })

  test('a tunnel asked for behind too many requests, by a client that is gone before its responses, does no harm', async (t) => {
    const listener = await aListener(t)
    for (let round = 1; round <= 3; round++) {
      const before = listener.counts().floodClosed
      const floods = await Promise.all(Array.from({ length: 6 }, () => listener.connect()))
      const tunnel = await listener.connect()
      for (const flood of floods) flood.write(get('/livez').repeat(perReadMax))
      await eventually('the others flood', () => listener.counts().floodClosed > before, slow)
      listener.hold()
      const started = listener.started() + limits.startedPerConnectionMax
      tunnel.write(
        post('/held').repeat(limits.unfinishedPerConnectionMax + 1) +
          requestText('CONNECT a:1 HTTP/1.1', ['Host: a']),
      )
      await eventually('it is held', () => listener.started() === started, slow)
      tunnel.resetAndDestroy()
      for (const flood of floods) flood.destroy()
      listener.letGo() // the responses cannot be written
      await eventually('nothing is left', async () => (await listener.open()) === 0, slow)
    }
  })
})
