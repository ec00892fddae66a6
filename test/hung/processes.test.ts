import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { migrateStore, openStore } from '../../src/stores/open.ts'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { hangAtStart } from '../support/workers.ts'

const slow = { withinMs: 60_000 }
const workerCount = 2

/** They wait for timeouts of ten seconds and more, so they run at the same time. */
describe('whatever hangs', { concurrency: 4 }, () => {
  test('a worker that has stopped responding is replaced, and its connections do not hang forever', async (t) => {
    const server = await startWorkers(t)
    const connections = await Promise.all(Array.from({ length: 8 }, () => keptConnection(t, server.url)))
    const [stuck, other] = serving(server) as [number, number]
    process.kill(stuck, 'SIGSTOP')
    for (const { socket } of connections) socket.write(livez)
    await Promise.all(connections.map(({ answeredOrClosed }) => answeredOrClosed))
    await eventually('there are two again', () => othersThan(server, stuck).length === workerCount, slow)
    assert.ok(serving(server).includes(other), 'the one that answers goes on')
    assert.ok(lines(server, 'worker does not respond: killed').some(({ worker }) => worker === stuck))
    assert.equal((await fetch(`${server.url}/livez`)).status, 200)
  })

  test('a worker that hangs while it starts is replaced', async (t) => {
    const server = await startWorkers(t)
    const hung = await hangAtStart(t, server)
    await eventually('there are two again', () => serving(server).length === workerCount, slow)
    assert.ok(lines(server, 'worker does not respond: killed').some(({ worker }) => worker === hung))
    assert.ok(!lines(server, 'worker serving').some(({ worker }) => worker === hung))
  })

  test('a worker that hangs for a few seconds is left alone', async (t) => {
    const server = await startWorkers(t)
    const before = serving(server)
    process.kill(before[0]!, 'SIGSTOP')
    await sleep(4_000)
    process.kill(before[0]!, 'SIGCONT')
    await sleep(3_000)
    assert.deepEqual(serving(server), before)
  })

  test('a supervisor that was itself suspended does not take its workers for dead when it wakes up', async (t) => {
    const server = await startWorkers(t)
    const before = serving(server)
    server.signal('SIGSTOP')
    await sleep(14_000)
    server.signal('SIGCONT')
    await sleep(3_000)
    assert.deepEqual(serving(server), before)
    assert.equal((await fetch(`${server.url}/livez`)).status, 200)
  })

  test('while the database hangs, SIGTERM still ends the server, with an award in flight', async (t) => {
    const database = await startOwnPostgres(t)
    await migrateStore({ kind: 'postgres', url: database.url })
    const store = await openStore({ kind: 'postgres', url: database.url })
    const key = await createPartner(
      { store: store.partners, actor: 'test', now: 0 },
      { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null },
      Buffer.from(masterKey, 'base64'),
    )
    await store.close()
    const server = await startServerProcess({ DATABASE_URL: database.url, MASTER_KEY: masterKey })
    t.after(() => server.end('SIGKILL'))
    database.freeze()
    const award = createClient(server.url, key, systemClock).award({ orderId: 'A1' })
    const ended = server.end('SIGTERM')
    assert.notEqual((await award.catch(() => null))?.status, 202)
    await ended
    await server.allGone
  })
})

const masterKey = Buffer.alloc(32, 7).toString('base64')

async function startWorkers(t: TestContext): Promise<ServerProcess> {
  const database = await freshDatabase()
  let server: ServerProcess | undefined
  // Registered first, so that a failure below leaves nothing behind.
  t.after(async () => {
    server?.signal('SIGCONT')
    await server?.end('SIGKILL')
    await database.remove()
  })
  const environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey }
  const started = await startServerProcess(environment, { args: ['--workers', String(workerCount)] })
  server = started
  await eventually('both are in the log', () => serving(started).length === workerCount, slow)
  return started
}

const livez = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A connection that has got a response, so some worker has it. */
async function keptConnection(t: TestContext, url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.after(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write(livez)
  await once(socket, 'data')
  const answeredOrClosed = new Promise<void>((resolve) => {
    for (const event of ['data', 'close']) socket.once(event, () => resolve())
  })
  return { socket, answeredOrClosed }
}

function lines(server: ServerProcess, msg: string): { worker: number }[] {
  return server.log.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
}

function serving(server: ServerProcess): number[] {
  const gone = lines(server, 'worker died').map(({ worker }) => worker)
  return lines(server, 'worker serving')
    .map(({ worker }) => worker)
    .filter((worker) => !gone.includes(worker))
}

function othersThan(server: ServerProcess, worker: number): number[] {
  return serving(server).filter((pid) => pid !== worker)
}
