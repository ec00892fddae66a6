import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/clock.ts'
import { firstAccountSecret } from '../../../src/operator/access/first-account.ts'
import { verifyLedger } from '../../../src/proof/verify.ts'
import { openSnapshot } from '../../../src/stores/open.ts'
import { createClient } from '../../support/client.ts'
import { awardRequest, type Key, patienceMs, startLoad } from '../../support/award-load.ts'
import { runCommand } from '../../support/command-line.ts'
import { ConsoleBrowser } from '../../support/console-browser.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql } from '../../support/run-sql.ts'
import { scrapeUntilAnswered, sumOf } from '../../support/scrape.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/service.ts'
import {
  hangAtStart,
  logged,
  serving,
  startWorkers,
  workerCount,
  workersMasterKey,
} from '../../support/workers.ts'

test('workers under their supervisor, from start to end', async (t) => {
  const { server, key, database, folder, environment } = await startWorkers(t, { dotEnv: 'CAP_PER_TX=10' })
  assert.equal(server.printed.length, 1, 'where it serves is printed once')

  async function restart(): Promise<void> {
    const before = logged(server, 'workers restarted').length
    server.signal('SIGHUP')
    await eventually('all are restarted', () => logged(server, 'workers restarted').length > before, slow)
  }
  function replaced(worker: number): Promise<void> {
    return eventually(
      'there are two again',
      () => serving(server).filter((pid) => pid !== worker).length === workerCount,
      slow,
    )
  }

  await t.test('the link for the first account works once, whichever worker gets it', async () => {
    const secret = firstAccountSecret(workersMasterKey, systemClock.now())
    const password = 'correct horse battery'
    const post = (path: string, body: object) =>
      new ConsoleBrowser(server.operatorUrl).send('POST', path, body, { connection: 'close' })
    const first = (name: string) => post('/session/first', { secret, name, password })
    const names = ['an', 'binh', 'chi', 'dung']
    const made = await Promise.all(names.map(first))
    const winner = made.findIndex(({ status }) => status === 201)
    assert.deepEqual(made.map(({ status, body }) => body.code ?? status).sort(), [
      201,
      'REFUSED',
      'REFUSED',
      'REFUSED',
    ])
    for (const stopped of serving(server)) {
      process.kill(stopped, 'SIGSTOP')
      try {
        assert.equal((await first('eve')).body.code, 'REFUSED', 'at the other worker')
        assert.equal((await post('/session', { name: names[winner], password })).status, 200)
      } finally {
        process.kill(stopped, 'SIGCONT')
      }
    }
  })

  let knocked = 0
  async function knock(times: number): Promise<void> {
    for (let count = 0; count < times; count++)
      await fetch(`${server.url}/livez`, { headers: { connection: 'close' } })
    knocked += times
    await eventually('all are counted', async () => (await counted()) === knocked, slow)
  }
  const scraped = async (name: string, labels = {}) =>
    sumOf(await scrapeUntilAnswered(server.operatorUrl), name, labels)
  const counted = () => scraped('partner_credit_requests_total', { listener: 'partner', route: '/livez' })
  const processes = () => scraped('partner_credit_processes')

  await t.test('any worker gives the metrics of all of them', async () => {
    await knock(60)
    // Each scrape is a connection of its own: both workers are asked.
    for (let count = 0; count < 10; count++) assert.equal(await counted(), knocked)
    assert.equal(await processes(), workerCount)
  })

  await t.test('a start that cannot succeed is reported once, exit code 1', async (t) => {
    const { port } = new URL(server.url)
    const result = await runCommand(['serve', '--workers', '2'], {
      cwd: temporaryFolder(t),
      environment: { ...environment, PORT: port },
    })
    assert.equal(result.code, 1)
    assert.equal(result.stdout, '')
    assert.equal(result.stderr.split(`port ${port} of 127.0.0.1 is in use`).length, 2, result.stderr)
  })

  await t.test('a restart by SIGHUP under load loses no request', async (t) => {
    const load = startLoad(server.url, key, 'restart')
    await eventually('the load runs', () => load.answered.size > 200, slow)
    const before = serving(server)
    const linesBefore = server.log.length
    await restart()
    const during = load.answered.size
    await eventually('the load goes on', () => load.answered.size > during + 200, slow)
    await load.stop()
    t.diagnostic(
      `${load.answered.size} requests on ${load.connections()} connections, ${load.lost.length} lost; ${during} by the end of a restart of ${workerCount} workers`,
    )
    assert.deepEqual(load.lost, [])
    assert.equal(serving(server).length, workerCount)
    assert.deepEqual(
      serving(server).filter((pid) => before.includes(pid)),
      [],
      'every worker is a new one',
    )
    assert.equal(fewestServing(server, linesBefore), workerCount, 'a new one serves before an old one leaves')
    await assertLedgerHas(database, 'restart', load.answered)
    assert.doesNotThrow(
      () => server.log.map((line) => JSON.parse(line)),
      'lines of several processes do not mix',
    )
  })

  await t.test(
    'the sums of the metrics have not fallen with the workers that a restart replaced',
    async () => {
      assert.equal(await counted(), knocked)
      await knock(1)
      assert.equal(await processes(), workerCount)
    },
  )

  await t.test('SIGHUP brings new settings; with wrong ones the old workers continue', async () => {
    const late = createClient(server.url, key, { now: () => systemClock.now() - 600_000 })
    assert.equal((await late.award()).body.code, 'TIMESTAMP_OUT_OF_RANGE')

    writeFileSync(join(folder, '.env'), 'CLOCK_WINDOW_MS=86400000\nCAP_PER_TX=100')
    await restart()
    assert.equal((await late.award()).status, 202)
    const { body } = await late.award({ amount: 50_000 })
    assert.deepEqual([body.code, body.limit], ['PER_TX_CAP_EXCEEDED', 10], 'a cap is the ledger’s')
    assert.ok(server.log.some((line) => line.includes("CAP_PER_TX=100 differs from the ledger's 10")))

    const before = serving(server)
    writeFileSync(join(folder, '.env'), 'CAP_PER_TX=many')
    server.signal('SIGHUP')
    await eventually(
      'it is given up',
      () => server.log.some((line) => line.includes('restart aborted')),
      slow,
    )
    assert.ok(server.log.some((line) => line.includes('CAP_PER_TX must be an integer')))
    assert.deepEqual(serving(server), before)
    assert.equal((await late.award()).status, 202)
    writeFileSync(join(folder, '.env'), '')
  })

  await t.test(
    'a killed worker is replaced, and the service continues, as do the sums of the metrics',
    async (t) => {
      await knock(10 * workerCount) // each of them has counted some
      const load = startLoad(server.url, key, 'killed')
      await eventually('the load runs', () => load.answered.size > 100, slow)
      const [killed, other] = serving(server) as [number, number]
      process.kill(killed, 'SIGKILL')
      await replaced(killed)
      assert.ok(serving(server).includes(other))
      assert.equal(await counted(), knocked)
      assert.equal(await processes(), workerCount)
      const answered = load.answered.size
      await eventually('the load goes on', () => load.answered.size > answered + 100, slow)
      await load.stop()
      t.diagnostic(`${load.answered.size} answered, lost with the worker: ${load.lost.join(', ')}`)
      assert.ok(load.lost.length <= load.clients, 'only what the killed worker had in hand')
      assert.deepEqual(
        load.lost.filter((message) => /timed out/.test(message)),
        [],
        'reset at once, not left hanging',
      )
      await assertLedgerHas(database, 'killed', load.answered, { unknownMax: load.lost.length })
    },
  )

  await t.test('new connections pass by a worker that is stuck', async () => {
    const [stuck] = serving(server) as [number]
    process.kill(stuck, 'SIGSTOP')
    try {
      for (let order = 1; order <= 6; order++) {
        const { outgoing, body } = awardRequest(server.url, key, `order-${order}`, false)
        outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('timed out')))
        outgoing.end(body)
        const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
        assert.equal(response.statusCode, 202)
      }
    } finally {
      process.kill(stuck, 'SIGKILL')
    }
    await replaced(stuck)
  })

  await t.test('SIGTERM lets workers finish what is in flight, and ends with exit code 0', async () => {
    const open = await sendHalves(server.url, key)
    const ended = server.end('SIGTERM')
    await eventually('nobody listens', () => refusesConnections(server.url))
    const answers = await Promise.all(open.map(({ finish }) => finish()))
    assert.deepEqual(answers, Array(6).fill([202, 'close']))
    assert.equal(await ended, 0)
    await server.allGone
    await assertLedgerHas(database, 'half', new Set(open.map(({ orderId }) => orderId)))
  })
})

test('workers that keep dying at their start end the service with exit code 1, and the reason', async (t) => {
  const { server, database } = await startWorkers(t)
  await runSql(database.url, 'ALTER TABLE migrations RENAME TO taken_away')
  for (const pid of serving(server)) process.kill(pid, 'SIGKILL')
  assert.equal(await server.allGone, 1)
  assert.ok(server.log.some((line) => line.includes('giving up')))
  assert.ok(server.log.some((line) => line.includes('without its table migrations: restore it')))
})

test('a second signal does not wait', async (t) => {
  const { server, key } = await startWorkers(t)
  const { outgoing } = await halfSent(server.url, key, 'never')
  const dropped = assert.rejects(once(outgoing, 'response'))
  server.signal('SIGTERM')
  await eventually('nobody listens', () => refusesConnections(server.url))
  await sleep(600) // Ctrl-C arrives twice, and so for half a second the same signal counts once
  assert.equal(await server.end('SIGTERM'), 1)
  await server.allGone
  assert.doesNotMatch(server.log.join(), /not stopped within/, 'it was the signal, not the time')
  await dropped
})

test('SIGTERM kills a worker that hangs while it starts, while the others finish what is in flight', async (t) => {
  const { server, key } = await startWorkers(t)
  const hung = await hangAtStart(t, server)
  const open = await halfSent(server.url, key, 'half')
  const ended = server.end('SIGTERM')
  const killed = () => logged(server, 'worker ended').some(({ worker }) => worker === hung)
  await eventually('the hung one is killed', killed, slow)
  assert.deepEqual(await open.finish(), [202, 'close'], 'it is killed before the other one has to give up')
  assert.equal(await ended, 0)
  await server.allGone
})

test('when the supervisor is killed, its workers finish the requests in flight and end', async (t) => {
  const { server, key, database } = await startWorkers(t)
  const open = await sendHalves(server.url, key)
  await server.end('SIGKILL')
  await eventually('nobody listens', () => refusesConnections(server.url))
  const answers = await Promise.all(open.map(({ finish }) => finish()))
  assert.deepEqual(answers, Array(6).fill([202, 'close']))
  await server.allGone
  await assertLedgerHas(database, 'half', new Set(open.map(({ orderId }) => orderId)))
})

test('several workers on SQLite are refused, exit code 2, and nothing is made', async (t) => {
  const cwd = temporaryFolder(t)
  const { code, stdout, stderr } = await runCommand(['serve', '--workers', '2'], { cwd })
  assert.equal(code, 2)
  assert.equal(stdout, '')
  assert.match(stderr, /WORKERS must be 1 on SQLite/)
  assert.equal(existsSync(join(cwd, 'data')), false)
})

const slow = { withinMs: 90_000 }

/** The smallest number of serving workers since that line of the log, when all served. */
function fewestServing(server: ServerProcess, sinceLine: number): number {
  let now = workerCount
  const changes = server.log.slice(sinceLine).map((line) => {
    if (line.includes('worker serving')) now++
    if (/worker (ended|died)/.test(line)) now--
    return now
  })
  return Math.min(...changes)
}

/** A request in flight: the server has its head, and waits for the rest of its body. */
async function halfSent(url: string, key: Key, orderId: string) {
  const { outgoing, body } = awardRequest(url, key, orderId, false)
  outgoing.setHeader('Expect', '100-continue')
  outgoing.write(body.slice(0, 10))
  await once(outgoing, 'continue')
  return {
    orderId,
    outgoing,
    async finish() {
      outgoing.end(body.slice(10))
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      await json(response)
      return [response.statusCode, response.headers.connection]
    },
  }
}

function sendHalves(url: string, key: Key) {
  return Promise.all(Array.from({ length: 6 }, (_, n) => halfSent(url, key, `half-${n}`)))
}

async function refusesConnections(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    () => false,
    () => true,
  )
}

/** The ledger is sound and has those orders, and no more others with that name than allowed. */
async function assertLedgerHas(
  database: { kind: 'postgres'; url: string },
  name: string,
  orders: Set<string>,
  { unknownMax = 0 } = {},
): Promise<void> {
  const snapshot = await openSnapshot(database)
  const found = new Set<string>()
  for await (const entries of snapshot.entries())
    for (const { orderId } of [entries].flat()) if (orderId.startsWith(name)) found.add(orderId)
  const { sound, fault } = await verifyLedger(snapshot, () => {})
  await snapshot.close()
  assert.deepEqual({ sound, fault }, { sound: true, fault: null })
  assert.deepEqual(
    [...orders].filter((orderId) => !found.has(orderId)),
    [],
    'what was answered is there',
  )
  assert.ok(found.size - orders.size <= unknownMax, `${found.size} entries, ${orders.size} answered`)
}
