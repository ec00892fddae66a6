import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { send } from '../../test/support/client.ts'
import { eventually } from '../../test/support/eventually.ts'
import { requestText } from '../../test/support/raw-http.ts'
import { createDoor, type Door } from './door.ts'
import { limits } from './limits.ts'

const { workingMax, workingOfKeyMax } = limits

test('at most 256 requests are worked on at a time, and the others when places become free', async (t) => {
  const house = await openHouse(t)
  const answers = [...house.ask(200, 'acme'), ...house.ask(200, 'globex')]
  await house.standsAt(workingMax)
  house.finish(100)
  await house.standsAt(workingMax + 100)
  house.finishAll()
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]))
  assert.equal(house.mostAtOnce, workingMax)
})

test('the flood of one key leaves a quarter of the places to the others', async (t) => {
  const house = await openHouse(t)
  await house.sendText(aRequest('acme').repeat(workingMax))
  await house.standsAt(workingOfKeyMax)
  house.ask(1, 'globex')
  await house.standsAt(workingOfKeyMax + 1)
  assert.equal(house.begun.at(-1), 'globex')
})

test('keys wait in lines of their own, which are served in turn', async (t) => {
  const house = await openHouse(t)
  await house.fill()
  house.ask(50, 'globex')
  await house.waitingAre(50)
  house.ask(2, 'initech')
  await house.waitingAre(52)
  house.finish(4)
  await house.standsAt(workingMax + 4)
  assert.deepEqual(house.begun.slice(workingMax), ['globex', 'initech', 'globex', 'initech'])
})

test('who finds no place within a second is told so in our form, and the log says it', async (t) => {
  const house = await openHouse(t)
  await house.fill()
  const [answer] = house.ask(1, 'globex', { 'x-request-id': 'late' })
  await house.waitingAre(1)
  t.mock.timers.tick(limits.waitMaxMs - 1)
  await house.standsAt(workingMax)
  assert.equal(house.waiting(), 1)
  t.mock.timers.tick(1)
  const { status, headers, body } = await answer!
  assert.equal(status, 503)
  assert.equal(headers.get('retry-after'), '1')
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(headers.get('x-request-id'), 'late')
  assert.equal(body.code, 'UNAVAILABLE')
  assert.match(body.detail, /^too many requests are waiting: send the same orderId again/)
  await eventually('the line', () => house.log.some((line) => /"late".*"status":503/.test(line)))
  house.finish(1)
  house.ask(1, 'globex')
  await house.standsAt(workingMax + 1)
})

test('who goes away while waiting is not worked for', async (t) => {
  const house = await openHouse(t)
  await house.fill()
  const leaving = await house.sendText(aRequest('leaving'))
  await house.waitingAre(1)
  house.ask(1, 'staying')
  await house.waitingAre(2)
  leaving.destroy()
  await house.waitingAre(1)
  house.finish(1)
  await house.standsAt(workingMax + 1)
  assert.equal(house.begun.at(-1), 'staying')
})

test('who goes away while being worked for keeps the place until the work is done', async (t) => {
  const house = await openHouse(t)
  const leaving = await house.sendText(aRequest('leaving'))
  await house.standsAt(1)
  await house.fill()
  leaving.destroy()
  await house.inFlightAre(workingMax - 1)
  const answers = house.ask(1, 'globex')
  await house.inFlightAre(workingMax)
  assert.equal(house.begun.length, workingMax)
  house.finish(1)
  await house.standsAt(workingMax + 1)
  house.finishAll()
  assert.equal((await answers[0]!).status, 200)
})

test('health is answered while all places are taken', async (t) => {
  const house = await openHouse(t)
  await house.fill()
  for (const path of ['/livez', '/readyz']) {
    assert.equal((await send(`${house.url}${path}`)).status, 200)
  }
})

test('a body that has not arrived holds no place', async (t) => {
  const house = await openHouse(t)
  const slow: Socket[] = []
  for (let n = 0; n <= workingMax; n++) slow.push(await house.sendText(aRequest('slow', 'half', 8)))
  await house.inFlightAre(workingMax + 1)
  house.ask(1, 'slow')
  await house.standsAt(1)
  for (const socket of slow) socket.write('half')
  await house.standsAt(workingOfKeyMax)
})

test('behind a waiting request of the same connection others are refused, in the order of asking', async (t) => {
  const house = await openHouse(t)
  await house.fill()
  const socket = await house.sendText(aRequest('globex').repeat(4))
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  await house.waitingAre(4)
  house.finish(1)
  await house.standsAt(workingMax + 1)
  assert.equal(received, '')
  house.finishAll()
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  await eventually('four answers', () => statuses().length === 4)
  assert.deepEqual(statuses(), ['200', '503', '503', '503'])
})

test('a drain answers those who wait as well', async (t) => {
  const house = await openHouse(t)
  await house.fill()
  const answers = house.ask(20, 'globex')
  await house.waitingAre(20)
  const drained = house.door.drain(0)
  house.finish(20)
  await house.standsAt(workingMax + 20)
  house.finishAll()
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
  await drained
})

function aRequest(key: string, body = '', length = body.length): string {
  return requestText(
    'POST /work HTTP/1.1',
    ['Host: x', `X-Api-Key: ${key}`, `Content-Length: ${length}`],
    body,
  )
}

/** A door with one kind of work, which lasts until the test ends it, oldest first. The second of waiting is the test's, too. */
async function openHouse(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const log: string[] = []
  const begun: string[] = []
  const unfinished: (() => void)[] = []
  const sockets: Socket[] = []
  let working = 0
  let isOver = false
  let inFlight = 0
  const door: Door = createDoor({
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
    ready: async () => [],
  })
  const house = {
    door,
    log,
    /** The keys of all work begun so far. */
    begun,
    mostAtOnce: 0,
    url: '',
    ask: (count: number, key: string, headers: Record<string, string> = {}) =>
      Array.from({ length: count }, () => {
        const answer = send(`${house.url}/work`, {
          method: 'POST',
          headers: { 'x-api-key': key, ...headers },
        })
        answer.catch(() => {}) // of those nobody asks for, when the house is closed
        return answer
      }),
    async sendText(text: string) {
      const socket = connect(Number(new URL(house.url).port), '127.0.0.1')
      sockets.push(socket.on('error', () => {}))
      await once(socket, 'connect')
      socket.write(text)
      return socket
    },
    async fill() {
      const free = workingMax - begun.length
      await house.sendText(aRequest('acme').repeat(Math.floor(free / 2)))
      await house.sendText(aRequest('umbrella').repeat(Math.ceil(free / 2)))
      await house.standsAt(workingMax)
    },
    /** So many have begun, and no more follow. */
    async standsAt(count: number) {
      await eventually(`${count} begun, not ${begun.length}`, () => begun.length >= count)
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.equal(begun.length, count)
    },
    inFlightAre: (count: number) => eventually(`${count} in flight`, () => inFlight === count),
    waiting: () => inFlight - working,
    waitingAre: (count: number) => eventually(`${count} waiting`, () => house.waiting() === count),
    finish(count: number) {
      for (const end of unfinished.splice(0, count)) end()
    },
    finishAll() {
      isOver = true
      house.finish(unfinished.length)
    },
  }
  door.app.server.on('request', (_, response) => {
    inFlight++
    response.once('close', () => inFlight--)
  })
  door.app.post('/work', async (request) => {
    begun.push(String(request.headers['x-api-key']))
    house.mostAtOnce = Math.max(house.mostAtOnce, ++working)
    if (!isOver) await new Promise<void>((resolve) => unfinished.push(resolve))
    working--
    return 'done'
  })
  house.url = await door.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    house.finishAll()
    for (const socket of sockets) socket.destroy()
    await door.drain(0)
  })
  return house
}
