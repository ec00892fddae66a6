import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/eventually.ts'
import { aListener, answersIn, get, post, slow } from '../../test/support/http-listener.ts'
import { requestText } from '../../test/support/raw-http.ts'
import { connectionOf } from './connection.ts'
import { limits } from './limits.ts'

describe('the end of a connection', { concurrency: true }, () => {
  test('a client that ends its half of the connection gets all of its responses', async (t) => {
    const listener = await aListener(t)
    listener.hold()
    const client = await listener.connect()
    client.end(post('/held').repeat(3) + get('/livez'))
    await eventually('the awards have started', () => listener.started() === 3, slow)
    listener.letGo()
    await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
    assert.deepEqual(answersIn(client.received()), [200, 200, 200, 200])
  })

  test('a client that ends its half of an idle connection, and one that is gone, leave nothing open', async (t) => {
    const listener = await aListener(t)
    const idle = await listener.connect()
    idle.end()
    await eventually('closed', () => idle.received() === '' && idle.destroyed, slow)
    listener.hold()
    const gone = await listener.connect()
    gone.end(post('/held'))
    await eventually('it has started', () => listener.started() === 1, slow)
    gone.resetAndDestroy()
    listener.letGo()
    await eventually('its slot is free', async () => (await listener.open()) === 0, slow)
  })

  const long = 'x'.repeat(limits.bodyBytesMax + 1)
  const chunked = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`
  const closing = {
    'HTTP/1.0 with keep-alive': requestText('POST /held HTTP/1.0', [
      'Connection: keep-alive',
      'Content-Length: 0',
    ]),
    'an upgrade': requestText('POST /held HTTP/1.1', [
      'Host: a',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Content-Length: 0',
    ]),
    'a doubtful Host': requestText('POST /held HTTP/1.1', ['Host: a b', 'Content-Length: 0']),
    'a header too many': requestText('POST /held HTTP/1.1', [
      'Host: a',
      'Content-Length: 0',
      ...Array.from({ length: limits.headersMax }, (_, number) => `a-${number}: b`),
    ]),
    'a body that is too long': requestText(
      'POST /held HTTP/1.1',
      ['Host: a', 'Transfer-Encoding: chunked'],
      chunked,
    ),
    'too many chunks': requestText(
      'POST /nothing HTTP/1.1',
      ['Host: a', 'Transfer-Encoding: chunked'],
      `${'1\r\na\r\n'.repeat(limits.bodyChunksMax + 1)}0\r\n\r\n`,
    ),
    'too many chunks, behind a whole request': `${post('/held')}${requestText(
      'POST /held HTTP/1.1',
      ['Host: a', 'Transfer-Encoding: chunked'],
      `${'1\r\na\r\n'.repeat(limits.bodyChunksMax + 1)}0\r\n\r\n`,
    )}`,
    'a body that is too long, for a path that does not exist': requestText(
      'POST /nothing HTTP/1.1',
      ['Host: a', 'Transfer-Encoding: chunked'],
      chunked,
    ),
  }
  for (const [what, first] of Object.entries(closing)) {
    for (const pieces of ['in one piece', 'in two pieces']) {
      test(`${what}: nothing behind it is run without a response, sent ${pieces}`, async (t) => {
        const listener = await aListener(t)
        const client = await listener.connect()
        client.setNoDelay()
        if (pieces === 'in one piece') client.write(first + post('/held').repeat(10))
        else {
          listener.hold()
          client.write(first)
          await sleep(20)
          client.write(post('/held').repeat(10))
          await sleep(20)
          listener.letGo()
        }
        await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
        const answered = answersIn(client.received())
        const run = answered.filter((status) => status === 200).length
        assert.equal(listener.started(), run, `${listener.started()} were run, answered: ${answered}`)
      })
    }
  }
})

test('a request that got its response before all of its body had come gets no second one, however it ends', async (t) => {
  const listener = await aListener(t)
  const { server } = listener.http.app
  const early = requestText('GET /livez HTTP/1.1', ['Host: a', 'Transfer-Encoding: chunked'])
  const ends = {
    'too late': (_: Socket, socket: Socket) =>
      // As Node does when the time is over.
      server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
    'by a broken chunk': (client: Socket) => client.write('no length\r\n'),
  }
  for (const [how, end] of Object.entries(ends)) {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = await listener.connect()
    const [socket] = await accepted
    client.write(early)
    await eventually('it gets a response', () => client.received() !== '', slow)
    end(client, socket)
    await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
    assert.deepEqual(answersIn(client.received()), [200], how)
  }
})

test('a request behind one that got its response early is answered, also if it is broken', async (t) => {
  const listener = await aListener(t)
  const client = await listener.connect()
  client.write(requestText('GET /livez HTTP/1.1', ['Host: a', 'Content-Length: 2']))
  await eventually('it gets a response', () => client.received() !== '', slow)
  client.write(`xx${get('/livez')}`)
  await eventually('the next one, too', () => answersIn(client.received()).length === 2, slow)
  client.write('no request\r\n\r\n')
  await eventually('closed', () => client.received() !== '' && client.destroyed, slow)
  assert.deepEqual(answersIn(client.received()), [200, 200, 400])
})

test('the time in which a connection waits for its turn to be read does not count as time in which its request did not arrive', async (t) => {
  const listener = await aListener(t)
  const { server } = listener.http.app
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = await listener.connect()
  const [socket] = await accepted
  const connection = connectionOf.get(socket)!
  client.write(post('/held', 'xx').slice(0, -1))
  await eventually('the request is arriving', () => connection.arrived === 1, slow)
  connection.restFromReading()
  // As Node does when the time is over.
  server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  client.write('x')
  connection.readOn()
  await eventually('it gets a response', () => client.received() !== '', slow)
  assert.deepEqual(answersIn(client.received()), [200])
})

test('bodies that come to their end at the same time do not all have the same turn', async (t) => {
  const { connect, started, http } = await aListener(t)
  let requests = 0
  http.app.server.on('request', () => requests++)
  const partner = await connect()
  partner.write(post('/known/acme'))
  await eventually('it is known', () => answersIn(partner.received()).length === 1, slow)
  const crowd: Awaited<ReturnType<typeof connect>>[] = []
  while (crowd.length < 200) {
    const client = await connect()
    client.write(post('/held', 'a body').slice(0, -1))
    crowd.push(client)
  }
  await eventually('all but their ends are there', () => requests === 201, slow)
  const before = started()
  for (const client of crowd) client.write('y')
  partner.write(post('/held', 'a body'))
  await eventually('the partner is served', () => answersIn(partner.received()).length === 2, slow)
  const number = Number(/{"number":(\d+)}/.exec(partner.received())?.[1]) - before
  assert.ok(number <= 64, `the service started ${number - 1} others first`)
  await eventually(
    'so are the others',
    () => crowd.every((client) => answersIn(client.received())[0] === 200),
    slow,
  )
})

test('requests that have waited for the same do not all go on in the same turn', async (t) => {
  const { connect, started, openGate, http } = await aListener(t)
  let requests = 0
  http.app.server.on('request', () => requests++)
  const partner = await connect()
  partner.write(post('/known/acme'))
  const crowd: Awaited<ReturnType<typeof connect>>[] = []
  while (crowd.length < 400) crowd.push(await connect())
  for (const client of crowd) client.write(post('/gate'))
  await eventually('all are there', () => requests === 401, slow)
  await sleep(50) // for all of them to wait
  openGate()
  partner.write(post('/held'))
  await eventually('the partner is served', () => answersIn(partner.received()).length === 2, slow)
  const number = Number(/{"number":(\d+)}/.exec(partner.received())?.[1])
  assert.ok(number <= 200, `the service went on with ${number - 1} others first`)
  await eventually(
    'so are the others',
    () => crowd.every((client) => answersIn(client.received())[0] === 200),
    slow,
  )
  assert.equal(started(), 401)
})

test('a request is not started before those that wait for another turn on its connection', async (t) => {
  const { connect, openGate, started } = await aListener(t)
  const client = await connect()
  client.setNoDelay()
  const text = post('/held', 'a body')
  const parts = [
    [text.slice(0, -1), text.slice(-1)],
    [post('/gate'), ''],
  ] as const
  for (const [round, [before, after]] of parts.entries()) {
    client.write(before)
    await sleep(50) // for it to start
    client.write(after + post('/known/acme').repeat(3) + text)
    openGate()
    await eventually('answered', () => answersIn(client.received()).length === 5 * (round + 1), slow)
  }
  const numbers = [...client.received().matchAll(/{"number":(\d+)}/g)].map(([, number]) => Number(number))
  assert.deepEqual([numbers, started()], [[1, 2, 3, 4], 4])
})

test('of a crowd that never proved who they are, a newcomer and a partner wait for one request each turn', async (t) => {
  const { connect, started } = await aListener(t)
  const crowd: Awaited<ReturnType<typeof connect>>[] = []
  while (crowd.length < 200) crowd.push(await connect())
  for (const client of crowd) client.write(post('/held'))
  const partner = await connect()
  partner.write(post('/known/acme'))
  const known = [...crowd, partner]
  await eventually('all have had a response', () => known.every((client) => client.received() !== ''), slow)
  const newcomer = await connect()
  const before = started()
  for (const client of crowd) client.write(post('/held').repeat(20))
  for (const client of [partner, newcomer]) client.write(post('/held'))
  for (const client of [partner, newcomer]) {
    await eventually(
      'it is served',
      () => answersIn(client.received()).length === (client === partner ? 2 : 1),
      slow,
    )
    const number = Number(/{"number":(\d+)}/.exec(client.received())?.[1]) - before
    assert.ok(number <= 64, `the service started ${number - 1} others first`)
  }
})
