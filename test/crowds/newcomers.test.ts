import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/wire/limits.ts'
import { eventually } from '../support/eventually.ts'
import { aListener, answersIn, get, noMorePages, post, slow } from '../support/http-listener.ts'

test('a newcomer gets the slot of the longest idle connection, also where all of them have just been used', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] }) // the time for which a connection has been idle
  const { connect, open, counts } = await aListener(t)
  async function aClient() {
    const client = await connect()
    client.write(get('/livez'))
    return client
  }
  const hoarded: Awaited<ReturnType<typeof aClient>>[] = []
  while (hoarded.length < limits.connectionsMax) hoarded.push(await aClient())
  await eventually('all are served', () => hoarded.every((client) => client.received() !== ''), slow)
  equal(counts().idleClosed, 0)
  equal(await open(), limits.connectionsMax)

  t.mock.timers.tick(limits.keepAliveFullMs)
  await aClient() // for which there is no slot yet
  const newcomer = await aClient()
  await eventually('it is served', () => answersIn(newcomer.received())[0] === 200, slow)
  equal(hoarded[0]!.destroyed, true)
  equal(hoarded.at(-1)!.destroyed, false)
})

test('whoever sends half a request makes room for a newcomer before a partner that pauses between requests does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { connect, open, http } = await aListener(t)
  // On a slow machine all of them take longer to come than one request may take to arrive.
  for (const time of ['headersTimeout', 'requestTimeout'])
    Object.defineProperty(http.app.server, time, { get: () => 0, set: () => {} })
  let requests = 0
  http.app.server.on('request', () => requests++)
  const partner = await connect()
  partner.write(post('/held', 'a body'))
  await eventually('the partner is served', () => answersIn(partner.received())[0] === 200, slow)
  const hoarded: (typeof partner)[] = []
  while (hoarded.length < limits.connectionsMax - 1) {
    const client = await connect()
    client.write(post('/held', 'a body').slice(0, -1))
    hoarded.push(client)
  }
  await eventually('all are there', async () => requests === limits.connectionsMax, slow)
  equal(await open(), limits.connectionsMax)

  t.mock.timers.tick(limits.keepAliveFullMs)
  await connect() // for which there is no slot yet
  const newcomer = await connect()
  newcomer.write(get('/livez'))
  await eventually('it is served', () => answersIn(newcomer.received())[0] === 200, slow)
  equal(partner.destroyed, false)
  const closed = hoarded.filter(({ destroyed }) => destroyed)
  notEqual(closed.length, 0)
  deepEqual(closed, hoarded.slice(0, closed.length), 'those that were opened first')
})

test('whoever does not read a response makes room for a newcomer before a partner that pauses between requests does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const listener = await aListener(t)
  const { connect, counts, hold, open, started } = listener
  const partner = await connect()
  partner.write(post('/held'))
  await eventually('the partner is served', () => answersIn(partner.received())[0] === 200, slow)
  const unread: (typeof partner)[] = []
  // So many give way at once, and one more for the newcomer.
  while (unread.length < limits.connectionsMax - limits.connectionsFull + 2) {
    const client = await connect()
    client.pause()
    client.write(get('/large').repeat(20))
    unread.push(client)
  }
  hold()
  const waiting: (typeof partner)[] = []
  while (waiting.length < limits.connectionsMax - unread.length - 1) {
    const client = await connect()
    client.write(post('/held'))
    waiting.push(client)
  }
  await eventually('all are there', async () => started() === waiting.length + 1, slow)
  await noMorePages(listener)
  equal(await open(), limits.connectionsMax)

  for (let ms = 0; ms <= limits.keepAliveFullMs; ms += 250) t.mock.timers.tick(250)
  await connect() // for which there is no slot yet
  const newcomer = await connect()
  newcomer.write(get('/livez'))
  await eventually('it is served', () => answersIn(newcomer.received())[0] === 200, slow)
  deepEqual([partner.destroyed, waiting.some(({ destroyed }) => destroyed)], [false, false])
  notEqual(counts().unreadClosed, 0)
})

test('whoever never proves who they are makes room for a newcomer, however busy, before a partner that pauses does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { connect, hold, open, started } = await aListener(t)
  const partner = await connect()
  partner.write(post('/known/acme'))
  await eventually('the partner is served', () => answersIn(partner.received())[0] === 200, slow)
  hold()
  const busy: (typeof partner)[] = []
  while (busy.length < limits.connectionsMax - 1) {
    const client = await connect()
    client.write(get('/held'))
    busy.push(client)
  }
  await eventually('all are there', async () => started() === busy.length, slow)
  equal(await open(), limits.connectionsMax)

  t.mock.timers.tick(limits.keepAliveFullMs)
  await connect() // for which there is no slot yet
  const newcomer = await connect()
  newcomer.write(get('/livez'))
  await eventually('it is served', () => answersIn(newcomer.received())[0] === 200, slow)
  equal(partner.destroyed, false)
  const closed = busy.filter(({ destroyed }) => destroyed)
  notEqual(closed.length, 0)
  deepEqual(closed, busy.slice(0, closed.length), 'those that were opened first')
})

test('a newcomer has a quarter of a second for its request, however many connections somebody else keeps busy', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { connect, hold, started } = await aListener(t)
  hold()
  const crowd: Awaited<ReturnType<typeof connect>>[] = []
  while (crowd.length < limits.connectionsFull + 1) {
    const client = await connect()
    client.write(post('/known/globex') + get('/held'))
    crowd.push(client)
  }
  await eventually('all are there', async () => started() === crowd.length, slow)
  t.mock.timers.tick(125)
  const newcomer = await connect()
  const next = await connect()
  next.write(get('/livez'))
  await eventually(
    'it is there, because the next one is served',
    () => answersIn(next.received())[0] === 200,
    slow,
  )
  t.mock.timers.tick(250)
  const another = await connect()
  another.write(get('/livez'))
  await eventually('another one is served', () => answersIn(another.received())[0] === 200, slow)
  newcomer.write(get('/livez'))
  await eventually('the newcomer is served', () => answersIn(newcomer.received())[0] === 200, slow)
})

test('a partner that keeps more connections busy than others have makes room for a newcomer before a partner that pauses does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { connect, hold, open, started } = await aListener(t)
  const partner = await connect()
  partner.write(post('/known/acme'))
  await eventually('the partner is served', () => answersIn(partner.received())[0] === 200, slow)
  hold()
  const early = await connect() // has not proved yet who it is
  early.write(get('/held'))
  const crowd: (typeof partner)[] = []
  while (crowd.length < limits.connectionsMax - 2) {
    const client = await connect()
    client.write(post('/known/globex') + get('/held'))
    crowd.push(client)
  }
  await eventually('all are there', async () => started() === crowd.length + 1, slow)
  equal(await open(), limits.connectionsMax)

  t.mock.timers.tick(limits.keepAliveFullMs)
  await connect() // for which there is no slot yet
  const newcomer = await connect()
  newcomer.write(get('/livez'))
  await eventually('it is served', () => answersIn(newcomer.received())[0] === 200, slow)
  deepEqual([partner.destroyed, early.destroyed], [false, false])
  for (const client of crowd) client.resume() // one that has not read everything does not notice that it was closed
  let closed: typeof crowd = []
  await eventually('one of the crowd has made room', () => {
    closed = crowd.filter(({ destroyed }) => destroyed)
    return closed.length > 0
  })
  deepEqual(closed, crowd.slice(0, closed.length), 'those that were opened first')
})

test('when few slots are left, a partner that pauses keeps its own longer than those who came before it and have sent nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { connect, open } = await aListener(t)
  const strangers: Awaited<ReturnType<typeof connect>>[] = []
  while (strangers.length < limits.connectionsCrowded) strangers.push(await connect())
  await eventually('all are there', async () => (await open()) === limits.connectionsCrowded, slow)
  t.mock.timers.tick(limits.keepAliveFullMs)
  const partner = await connect()
  partner.write(get('/livez'))
  await eventually('the partner is served', () => answersIn(partner.received())[0] === 200, slow)

  t.mock.timers.tick(limits.keepAliveCrowdedMs)
  await connect()
  await eventually('one has made room', () => strangers.some(({ destroyed }) => destroyed), slow)
  equal(partner.destroyed, false)
  equal(strangers[0]!.destroyed, true)
})
