import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aListener, answersIn, get, post, slow } from '../support/http-listener.ts'
import { requestText } from '../support/raw-http.ts'
import { limits } from '../../src/wire/limits.ts'

/** So many of our shortest requests fit into one read of 64 KiB. */
const perReadMax = 2_200
const connectText = requestText('CONNECT a:1 HTTP/1.1', ['Host: a'])

const inSmallChunks = (path: string, chunks: number) =>
  requestText(
    `POST ${path} HTTP/1.1`,
    ['Host: a', 'Transfer-Encoding: chunked'],
    `${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`,
  )

describe('what a connection can make us hold', { concurrency: true }, () => {
  test('from a connection with 64 unfinished requests nothing more is read; all of them get a response in the end', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    const count = 2_000
    client.write(post('/held').repeat(count))
    await eventually('64 have started', () => listener.started() === limits.startedPerConnectionMax, slow)
    await sleep(100) // for requests that ought not to start
    assert.equal(listener.started(), limits.startedPerConnectionMax)
    listener.letGo()
    await eventually('all are answered', () => answersIn(client.received()).length === count, slow)
    assert.ok(answersIn(client.received()).every((status) => status === 200))
  })

  test('requests with large bodies count for more: a few of them, and nothing more is read from the connection', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    const count = 40
    const body = 'x'.repeat(60_000)
    client.write(post('/held', body).repeat(count))
    await eventually('some have started', () => listener.started() >= 7, slow)
    await sleep(200) // for requests that ought not to start
    assert.ok(listener.started() <= 10, `${listener.started()} have started`)
    listener.letGo()
    await eventually('all have a response', () => answersIn(client.received()).length === count, slow)
    assert.deepEqual(new Set(answersIn(client.received())), new Set([200]))
  })

  test('small chunks of unfinished requests are counted together: beyond 256 the connection is closed after the responses before', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    client.write(inSmallChunks('/held', limits.smallChunksMax / 8).repeat(100))
    await eventually('those before have started', () => listener.started() === 8, slow)
    listener.letGo()
    await eventually('they are answered', () => answersIn(client.received()).length >= 8, slow)
    await once(client.resume(), 'close')
    assert.deepEqual(answersIn(client.received()), Array(8).fill(200))
    assert.equal(listener.started(), 8)
    assert.equal(listener.counts().brokenHttp, 1)
  })

  test('a client that waits for its responses may send any number of small chunks', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    for (let number = 1; number <= 10; number++) {
      client.write(inSmallChunks('/held', limits.bodyChunksMax))
      await eventually('answered', () => answersIn(client.received()).length === number, slow)
    }
    assert.deepEqual(answersIn(client.received()), Array(10).fill(200))
  })

  test('a client that pipelines, and always waits for a response, may send any number of them: only those without a response count', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    const each = inSmallChunks('/held', limits.smallChunksMax / 2)
    client.write(each)
    for (let number = 1; number <= 10; number++) {
      client.write(each)
      await eventually('started', () => listener.started() === number + 1, slow)
      listener.letFirstGo()
      await eventually('answered', () => answersIn(client.received()).length === number, slow)
    }
    assert.equal(listener.counts().brokenHttp, 0)
  })

  test('a flood on one connection delays others by a request, and its connection is not closed', async (t) => {
    const listener = await aListener(t)
    const flood = await listener.connect()
    flood.write(get('/livez').repeat(20_000))
    flood.resume()
    const others = await listener.connect()
    for (let number = 1; number <= 50; number++) {
      others.write(get('/livez'))
      await eventually('answered', () => answersIn(others.received()).length === number, slow)
    }
    assert.equal(flood.destroyed, false)
    assert.equal(listener.counts().floodClosed, 0)
  })

  test('awards pipelined with bodies get their responses in order, whatever is between them', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    const some =
      post('/held', '{"a":1}') + get('/livez') + get('/nowhere') + post('/livez', 'body') + get('/held')
    client.write(some.repeat(30))
    await eventually('all are answered', () => answersIn(client.received()).length === 150, slow)
    assert.deepEqual(answersIn(client.received()), Array(30).fill([200, 200, 404, 405, 200]).flat())
  })

  test('beyond 16,384 unfinished requests the connection with the most is closed, after the response that is being written', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const few = await listener.connect()
    few.write(post('/held').repeat(10))
    await eventually('ten have started', () => listener.started() === 10, slow)
    const each = limits.unfinishedPerConnectionMax
    const enough = Math.ceil(limits.unfinishedMax / each) + 10
    const floods = await Promise.all(Array.from({ length: enough }, () => listener.connect()))
    for (const flood of floods) flood.write(get('/held').repeat(each))
    await eventually('one too many', () => listener.counts().floodClosed > 0, slow)
    listener.letGo()
    await eventually('the others are answered', () => answersIn(few.received()).length === 10, slow)
    const closed = () => floods.filter((flood) => flood.received() !== '' && flood.destroyed)
    await eventually('it is closed', () => closed().length === listener.counts().floodClosed, slow)
    for (const flood of closed()) {
      const answers = answersIn(flood.received())
      assert.ok(answers.length >= 1 && answers.length < each, 'some of its requests were not started')
      assert.match(flood.received(), /}$/, 'the last response is whole')
    }
    assert.match(listener.log.join(''), /"floodClosed":[1-9].*"msg":"refused"/)
  })

  test('a connection that is closed because it has the most does not wait for a body that is no longer read', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const most = await listener.connect()
    const incomplete = requestText('POST /livez HTTP/1.1', ['Host: a', 'Content-Length: 65536'], 'x')
    most.write(post('/held').repeat(60) + incomplete)
    await eventually('sixty have started', () => listener.started() === 60, slow)
    const each = limits.unfinishedPerConnectionMax
    const others = await Promise.all(
      Array.from({ length: limits.unfinishedMax / each }, () => listener.connect()),
    )
    for (const other of others) other.write(get('/held').repeat(each))
    await eventually('one too many', () => listener.counts().floodClosed > 0, slow)
    listener.letGo()
    await eventually('it is closed', () => most.received() !== '' && most.destroyed, slow)
    assert.equal(answersIn(most.received()).length, 60)
  })

  test('a connection that is lost while it is held leaves nothing behind', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    client.write(post('/held').repeat(perReadMax))
    await eventually('it is held', () => listener.started() === limits.startedPerConnectionMax, slow)
    client.resetAndDestroy()
    listener.letGo()
    await listener.http.drain(0)
    assert.equal(listener.started(), limits.startedPerConnectionMax, 'what was not started never is')
  })

  test('the errors of requests that are lost with their connection have no stacks, which cost more than the requests', async (t) => {
    const listener = await aListener(t)
    const framesMax = Error.stackTraceLimit
    const requests: IncomingMessage[] = []
    listener.http.app.server.on('request', (request) => requests.push(request))
    listener.hold()
    const client = await listener.connect()
    client.write(post('/held').repeat(perReadMax))
    await eventually('it is held', () => listener.started() === limits.startedPerConnectionMax, slow)
    client.resetAndDestroy()
    listener.letGo() // only a write finds out that the client is gone
    const errors = () => requests.flatMap(({ errored }) => errored ?? [])
    await eventually('the others are lost', () => errors().length > 1_000, slow)
    assert.deepEqual(new Set(errors().map(({ stack }) => stack)), new Set(['Error: aborted']))
    assert.equal(Error.stackTraceLimit, framesMax, 'other errors have theirs')
  })

  test('what was lost with a connection that asked for a tunnel is not unfinished for good', async (t) => {
    const listener = await aListener(t)
    const each = limits.unfinishedPerConnectionMax - 1 // with the CONNECT behind them in one read
    const enough = Math.ceil(limits.unfinishedMax / each) + 1
    for (let lost = 1; lost <= enough; lost++) {
      listener.hold()
      const client = await listener.connect()
      const held = listener.started() + each
      client.write(post('/held').repeat(each) + connectText)
      await eventually('it is held', () => listener.started() >= held, slow)
      client.resetAndDestroy()
      await once(client, 'close')
      listener.letGo() // only a write finds out that the client is gone
    }
    const client = await listener.connect()
    client.write(get('/livez'))
    await eventually('answered', () => answersIn(client.received()).length === 1, slow)
    assert.equal(listener.counts().floodClosed, 0)
  })

  test('broken HTTP behind a flood: complete requests get their responses, then the connection is closed', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    client.write(`${get('/livez').repeat(150)}nonsense\r\n\r\n${get('/livez').repeat(150)}`)
    await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
    assert.deepEqual(answersIn(client.received()), Array(150).fill(200))
    assert.equal(listener.counts().brokenHttp, 1)
  })

  test('a drain ends a connection that is held: its next response is its last', async (t) => {
    const listener = await aListener(t)
    const client = await listener.connect()
    listener.hold()
    client.write(get('/held').repeat(perReadMax))
    await eventually('it is held', () => listener.started() === 1, slow)
    const drained = listener.http.drain(0)
    await sleep(20)
    listener.letGo()
    await drained
    await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
    assert.ok(answersIn(client.received()).length <= 2)
  })

  test('in a drain nothing is started behind a response that says close: a request without a response was not run', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    const drained = listener.http.drain(slow.withinMs)
    client.write(post('/held').repeat(10))
    await eventually('one has started', () => listener.started() > 0, slow)
    await sleep(100) // for requests that ought not to start
    assert.equal(listener.started(), 1)
    listener.letGo()
    await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
    assert.deepEqual(answersIn(client.received()), [200])
    assert.match(client.received(), /connection: close/)
    assert.equal(listener.started(), 1)
    await drained
  })

  test('no client gets 408 for the time in which we did not read', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    const half = post('/held', 'x'.repeat(60_000)).slice(0, -10_000)
    client.write(post('/held').repeat(limits.unfinishedPerConnectionMax) + half)
    await eventually('it is held', () => listener.started() === limits.startedPerConnectionMax, slow)
    await sleep(limits.requestTimeoutMs + 2 * limits.timeoutCheckMs)
    listener.letGo()
    client.write('x'.repeat(10_000))
    const all = limits.unfinishedPerConnectionMax + 1
    await eventually('all are answered', () => answersIn(client.received()).length === all, slow)
    assert.ok(answersIn(client.received()).every((status) => status === 200))
    assert.equal(client.destroyed, false)
  })
})
