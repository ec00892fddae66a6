import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { environmentOf, makeAcmeFile } from '../support/acme-file.ts'
import { anAwardBody, createClient } from '../support/client.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

test('SIGTERM lets the request in flight finish, refuses new ones, and ends with exit code 0', async (t) => {
  const { environment, key } = await aLedger(t)
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)

  // A request whose body is incomplete: it is in flight until the rest arrives.
  const body = JSON.stringify(anAwardBody({ orderId: 'in-flight' }))
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, ...acme.headers(body) }
  const agent = new Agent({ keepAlive: true }) // it does not ask for a close itself
  const inFlight = request(`${server.url}/v1/ep/webhook`, { method: 'POST', headers, agent })
  inFlight.write(body.slice(0, 10))
  await once(inFlight, 'socket')
  await acme.history('t1') // by the time this is answered, the first bytes above have arrived too
  const ended = server.end('SIGTERM')
  while (!(await refusesConnections(server.url))) {}
  inFlight.end(body.slice(10))
  const [response] = await once(inFlight, 'response')
  assert.equal(response.statusCode, 202)
  assert.equal(response.headers.connection, 'close')
  assert.equal(await ended, 0)
  assert.match(server.log.at(-1)!, /"msg":"stopped"/)

  const again = await startServerProcess(environment)
  t.after(() => again.end('SIGKILL'))
  const replay = await createClient(again.url, key, systemClock).awardBytes(body)
  assert.equal(replay.body.code, 'DUPLICATE')
})

test('awards under load during SIGTERM get a response or are refused, never both credited and lost', async (t) => {
  const { environment, key } = await aLedger(t)
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)
  const answered = new Map<string, string>()
  const load = Array.from({ length: 8 }, async (_, client) => {
    for (let order = 1; ; order++) {
      const orderId = `${client}-${order}`
      const answer = await acme
        .award({ orderId, userEmail: 'ann@example.com', amount: 1000 })
        .catch(() => null)
      if (answer === null) return
      assert.equal(answer.status, 202)
      answered.set(orderId, answer.body.epTransactionId)
    }
  })
  while (answered.size < 100) await new Promise(setImmediate)
  assert.equal(await server.end('SIGTERM'), 0)
  await Promise.all(load)

  const again = await startServerProcess(environment)
  t.after(() => again.end('SIGKILL'))
  const client = createClient(again.url, key, systemClock)
  for (const [orderId, epTransactionId] of answered) {
    const { body } = await client.award({ orderId, userEmail: 'ann@example.com', amount: 1000 })
    assert.deepEqual([body.code, body.epTransactionId], ['DUPLICATE', epTransactionId])
  }
})

test('SIGHUP, which a closed terminal sends, stops a server as SIGTERM does', async (t) => {
  const { environment } = await aLedger(t)
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  assert.equal(await server.end('SIGHUP'), 0)
  assert.match(server.log.at(-1)!, /"msg":"stopped"/)
})

test('both ports are healthy while it serves', async (t) => {
  const { environment } = await aLedger(t)
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  for (const url of [server.url, server.operatorUrl])
    assert.deepEqual(await (await fetch(`${url}/livez`)).json(), { status: 'live' })
  const ready = async (url: string) => (await fetch(`${url}/readyz`)).json()
  assert.deepEqual(await ready(server.operatorUrl), { status: 'ready', warnings: [] })
  assert.deepEqual(await ready(server.url), { status: 'ready' }, 'strangers hear no more')
})

async function aLedger(t: TestContext) {
  const path = join(temporaryFolder(t), 'ledger.db')
  const key = await makeAcmeFile(path)
  return { key, environment: environmentOf(path) }
}

async function refusesConnections(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    () => false,
    () => true,
  )
}
