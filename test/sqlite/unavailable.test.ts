import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import pino from 'pino'
import { openKeyDirectory } from '../../src/access/key-directory.ts'
import { systemClock } from '../../src/clock.ts'
import type { Config } from '../../src/config.ts'
import { createPartnerListener } from '../../src/http/app.ts'
import type { GroupCommitLimits } from '../../src/ledger/group-commit.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { serveSqlite } from '../../src/stores/sqlite/open.ts'
import { anAwardBody, createClient, send } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { assertSoundAndDiscreet, assertUnavailable, privateFields } from '../support/problem-assertions.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { noAddressLimit } from '../support/no-address-limit.ts'

/** Another connection that holds the write lock of the database: nothing can be committed until it is released. */
function holdTheStore(path: string): { release(): void } {
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  return { release: () => other.close() }
}

function pathOf({ database }: Config): string {
  ok(database.kind === 'sqlite')
  return database.path
}

test('while the store takes no writes', async (t) => {
  const service = await startService(t)
  const { acme, url } = service
  await acme.award({ ...privateFields, orderId: 'before' })

  await t.test(
    'an award is 503 with Retry-After and counts once when it is sent again; history still reads',
    async () => {
      const order = anAwardBody({ ...privateFields, orderId: 'during' })
      const before = await service.dump()
      const store = holdTheStore(pathOf(service.config))
      const refused = await acme.award(order)
      assertUnavailable(refused)
      match(refused.body.detail, /send the same orderId again/)
      equal((await acme.history('t1')).body.items.length, 1)
      equal((await send(`${url}/livez`)).status, 200)
      store.release()

      equal(await service.dump(), before)
      equal((await acme.award(order)).status, 202)
      equal((await acme.award(order)).body.code, 'DUPLICATE')
    },
  )

  await t.test('afterwards the ledger is sound and the log holds nothing private', () =>
    assertSoundAndDiscreet(service),
  )
})

/** The parts of the service put together with limits that a test can reach. */
async function openSmallService(limits: Partial<GroupCommitLimits>) {
  const cleanup = new AsyncDisposableStack()
  after(() => cleanup.disposeAsync())
  const path = join(temporaryFolder({ after }), 'ledger.db')
  const caps = { perTx: 100, perPartnerDay: 1000, perUserDay: 1000 }
  const store = await serveSqlite(path, { caps, clock: systemClock, limits })
  cleanup.defer(() => store.close())
  const { ledger } = store
  const operator = { store: store.partners, actor: 'test', now: Date.now() }
  const masterKey = randomBytes(32)
  const partner = (partnerId: string) => ({
    partnerId,
    name: partnerId,
    tenants: ['t1'],
    perTx: null,
    perPartnerDay: null,
  })
  const makeKey = (partnerId: string) => createPartner(operator, partner(partnerId), masterKey)
  const acmeKey = await makeKey('acme')
  const globexKey = await makeKey('globex')
  const floodingKeys = await Array.fromAsync(['flood-1', 'flood-2', 'flood-3', 'flood-4'], makeKey)
  const keys = await openKeyDirectory(store.partners, masterKey, () => {})
  cleanup.defer(() => keys.close())
  cleanup.defer(() => ledger.close())
  let arrived = 0
  const counted: Ledger = {
    ...ledger,
    award(command) {
      arrived++
      return ledger.award(command)
    },
  }
  const log = pino({ enabled: false })
  const parts = {
    ledger: counted,
    keys,
    clock: systemClock,
    clockWindowMs: 300_000,
    log,
    ready: () => ledger.ready(),
    addressLimit: noAddressLimit,
  }
  const listener = createPartnerListener(parts)
  const url = await listener.listen({ host: '127.0.0.1', port: 0 })
  cleanup.defer(() => listener.drain())
  return {
    acme: createClient(url, acmeKey, systemClock),
    globex: createClient(url, globexKey, systemClock),
    flooding: floodingKeys.map((key) => createClient(url, key, systemClock)),
    arrivals: (count: number) => eventually(`${count} awards have arrived`, () => arrived === count),
    hold: () => holdTheStore(path),
  }
}

test('when the queue is full', async (t) => {
  const service = await openSmallService({ queueMax: 3, partnerQueueMax: 2, batchMax: 1 })
  const { acme, globex } = service

  await t.test(
    'an award is 503 with Retry-After at once, a flooding partner first; the waiting ones are credited',
    async () => {
      const store = service.hold()
      const accepted = [acme.award(privateFields)]
      await service.arrivals(1)
      accepted.push(acme.award(privateFields), acme.award(privateFields))
      await service.arrivals(3)
      const surplus = anAwardBody(privateFields)
      // At once: after its deadline, those that wait before it would have been 503, too, and not 202 as below.
      assertUnavailable(await acme.award(surplus))

      accepted.push(globex.award(privateFields))
      await service.arrivals(5)
      assertUnavailable(await globex.award(privateFields))
      store.release()

      const answers = await Promise.all(accepted)
      deepEqual(
        answers.map(({ status }) => status),
        [202, 202, 202, 202],
      )
      equal((await acme.award(surplus)).status, 202)
      equal((await globex.history('t1')).body.items.length, 1)
    },
  )
})

test('when four partners fill the queue', async (t) => {
  const service = await openSmallService({ queueMax: 16, partnerQueueMax: 4, batchMax: 1 })

  await t.test(
    'a quiet fifth still gets in, and a displaced award is 503 with Retry-After and may send again',
    async () => {
      const store = service.hold()
      const first = service.acme.award(privateFields)
      await service.arrivals(1)
      const orders = service.flooding.flatMap((client) =>
        Array.from({ length: 4 }, () => ({ client, body: anAwardBody(privateFields) })),
      )
      const flood = orders.map(({ client, body }) => client.award(body))
      await service.arrivals(17)
      const quiet = Array.from({ length: 3 }, () => service.globex.award(privateFields))
      await service.arrivals(20)
      store.release()

      for (const { status } of [await first, ...(await Promise.all(quiet))]) equal(status, 202)
      const answers = await Promise.all(flood)
      const displaced = answers.flatMap((answer, index) => (answer.status === 202 ? [] : [{ answer, index }]))
      equal(displaced.length, 3)
      for (const { answer, index } of displaced) {
        assertUnavailable(answer)
        equal((await orders[index]!.client.award(orders[index]!.body)).status, 202)
      }
    },
  )
})

test('when the deadline has passed', async (t) => {
  const service = await openSmallService({ deadlineMs: 1_000, batchMax: 1 })
  const { acme } = service

  await t.test(
    'awards are 503; the one that was being committed is found by its replay, the waiting one never ran',
    async () => {
      const [committing, waiting] = [anAwardBody(privateFields), anAwardBody(privateFields)]
      const store = service.hold()
      const first = acme.award(committing)
      await service.arrivals(1)
      const second = acme.award(waiting)
      for (const answer of await Promise.all([first, second])) {
        assertUnavailable(answer)
        match(answer.body.detail, /deadline/)
      }
      store.release()

      equal((await acme.award(committing)).body.code, 'DUPLICATE')
      equal((await acme.history('t1')).body.items.length, 1)
      equal((await acme.award(waiting)).status, 202)
    },
  )
})
