import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { AlertKind } from '../../src/alerts/alert.ts'
import { alerts } from '../../src/answers/alerts.ts'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { serve } from '../../src/serve.ts'
import { openJournal, openQueries } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { storeKind } from '../support/fresh-database.ts'
import { scrape, sumOf } from '../support/scrape.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where the store allows it, two nodes: an alert is one line of both together. */
const nodes = storeKind === 'postgres' ? 2 : 1
const start = (t: Parameters<typeof startService>[0], environment = {}) =>
  startService(t, environment, { nodes })

type AlertLine = { alert: AlertKind; partnerId: string; msg: string; level: number }

function alertLines({ log }: Pick<TestService, 'log'>): AlertLine[] {
  return log.map((line) => JSON.parse(line)).filter(({ alert }) => alert !== undefined)
}

const kindsOf = (service: Pick<TestService, 'log'>) => alertLines(service).map(({ alert }) => alert)

async function onRecord(service: TestService) {
  const queries = await openQueries(service.config.database)
  const journal = await openJournal(service.config.database)
  try {
    return (await alerts(queries, journal, { since: 0, limit: 100 })).alerts
  } finally {
    await journal.close()
    await queries.close()
  }
}

async function openKinds(service: TestService): Promise<Set<AlertKind>> {
  const all = await onRecord(service)
  return new Set(all.filter(({ endedAt }) => endedAt === null).map(({ kind }) => kind))
}

const perPartnerDay = (service: TestService, ep: number) =>
  service.operate((operator) =>
    setPartnerCaps(operator, 'acme', { perTx: undefined, perPartnerDay: ep }, undefined),
  )

test('80 % and 100 % of a daily cap are logged once each, and again only for another value or day', async (t) => {
  const service = await start(t)
  const { acme, clock } = service
  await perPartnerDay(service, 100)
  await acme.award({ amount: 79_000 })
  await service.lookNow()
  assert.deepEqual(kindsOf(service), [])
  for (let count = 0; count < 3; count++) {
    await acme.award({ amount: 1_000 })
    await service.lookNow()
  }
  assert.deepEqual(kindsOf(service), ['capNear'])
  assert.equal(alertLines(service)[0]!.msg, 'acme has used 80 of 100 EP of its perPartnerDay in t1')
  for (let count = 0; count < 3; count++) assert.equal((await acme.award({ amount: 50_000 })).status, 429)
  await service.lookNow()
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['capNear', 'capReached'])

  await perPartnerDay(service, 1_000)
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['capNear', 'capReached'])
  await acme.award({ amount: 900_000 })
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['capNear', 'capReached', 'capNear'])

  clock.advance(86_400_000)
  await acme.award({ amount: 900_000 })
  await service.lookNow()
  assert.deepEqual(kindsOf(service).slice(3), ['capNear'])
  const open = (await onRecord(service)).filter(({ endedAt }) => endedAt === null)
  assert.deepEqual(
    open.map(({ kind, raisedAt }) => [kind, raisedAt]),
    [['capNear', new Date(clock.now()).toISOString()]],
    'those of yesterday are over',
  )
})

test('when a cap is raised, its alerts are over at once; those of the new value begin with it', async (t) => {
  const service = await start(t)
  const { acme, clock } = service
  await perPartnerDay(service, 100)
  await acme.award({ amount: 90_000 })
  assert.equal((await acme.award({ amount: 50_000 })).status, 429)
  await service.lookNow()
  assert.deepEqual(await openKinds(service), new Set(['capNear', 'capReached']))

  await perPartnerDay(service, 1_000)
  clock.advance(1_000)
  await service.lookNow()
  assert.deepEqual(await openKinds(service), new Set(), 'although the refusal was a second ago')
  assert.deepEqual(
    (await onRecord(service)).map(({ endedAt }) => endedAt),
    Array(2).fill(new Date(clock.now()).toISOString()),
  )
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['capNear', 'capReached'], 'nothing is told twice')

  await acme.award({ amount: 800_000 })
  await service.lookNow()
  assert.deepEqual(await openKinds(service), new Set(['capNear']))
})

test('of nodes that find the same at the same time, one logs it', async (t) => {
  const service = await startService(t, {}, { nodes: storeKind === 'postgres' ? 4 : 1 })
  await service.acme.award({ amount: 95_000 })
  await service.lookNow()
  for (const limit of [100, 101, 102]) {
    await perPartnerDay(service, limit)
    await service.lookNow({ atOnce: true })
  }
  assert.deepEqual(kindsOf(service), ['capNear', 'capNear', 'capNear'], 'one for each value of the cap')
})

test('a restart on the same day repeats no alert', async (t) => {
  const service = await start(t)
  await perPartnerDay(service, 100)
  await service.acme.award({ amount: 100_000 })
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['capNear', 'capReached'])
  await service.stop()

  const log: string[] = []
  const { config, clock } = service
  const again = await serve(config, {
    clock,
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
  })
  try {
    await again.lookNow()
    assert.deepEqual(kindsOf({ log }), [])
    assert.equal((await onRecord(service)).length, 2)
  } finally {
    await again.stop()
  }
})

test('wrong signatures are told for a key that exists, and never for one that does not', async (t) => {
  const service = await start(t)
  const { acme } = service
  const wrong = { 'X-Signature': '0'.repeat(64) }
  for (let count = 0; count < 10; count++) await acme.award({}, { ...wrong, 'X-Api-Key': 'pck_nobody' })
  for (let count = 0; count < 4; count++) await acme.award({}, wrong)
  await service.lookNow()
  assert.deepEqual(kindsOf(service), [])
  for (let count = 0; count < 6; count++) await acme.award({}, wrong)
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['wrongSignatures'])
  const [line] = alertLines(service)
  assert.equal(line!.partnerId, 'acme')
  assert.equal(line!.level, 40)
})

test('a clock that is more than a minute off is told for its key, and is over an hour after it was set', async (t) => {
  const service = await start(t)
  const { acme, clock } = service
  const late = async () => {
    const body = JSON.stringify({
      tenantId: 't1',
      orderId: 'late-1',
      userEmail: 'ann@example.com',
      amount: 5_000,
    })
    await acme.awardBytes(body, acme.headers(body, String(clock.now() - 61_000)))
  }
  await late()
  await late() // each node has seen it
  await service.lookNow()
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['clockOff'])
  assert.match(alertLines(service)[0]!.msg, /^the clock behind the key key_\w+ of acme is 61 s slow$/)

  for (let count = 0; count < nodes; count++) await acme.award()
  clock.advance(3_600_001)
  await service.lookNow()
  const [alert] = await onRecord(service)
  assert.equal(alert!.endedAt, new Date(clock.now()).toISOString())
  await late()
  await late()
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['clockOff', 'clockOff'], 'it began again')
})

test('a partner that sends its orders twice is told once', async (t) => {
  const service = await start(t)
  const { acme, globex, clock } = service
  for (let order = 0; order < 20; order++) {
    const award = { orderId: `twice-${order}`, userEmail: 'ann@example.com' }
    await acme.award(award)
    await globex.award(award)
    clock.advance(1_500)
    await acme.award(award)
  }
  await service.lookNow()
  await service.lookNow()
  assert.deepEqual(
    alertLines(service).map(({ alert, partnerId }) => [alert, partnerId]),
    [['doubleSending', 'acme']],
  )
})

test('a partner whose failures jump is told once, and the sandbox is for failing', async (t) => {
  const service = await start(t)
  const { acme, clock } = service
  await service.operate((operator) => allowTenant(operator, 'acme', 't1-test', 'sandbox'))
  for (let order = 0; order < 30; order++) await acme.award()
  clock.advance(10 * 60_000)
  const sandbox = { tenantId: 't1-test', amount: 1 }
  await eventually('the tenant is known', async () => (await acme.award(sandbox)).status === 422)
  for (let order = 0; order < 30; order++) await acme.award(sandbox)
  await service.lookNow()
  assert.deepEqual(kindsOf(service), [])

  for (let order = 0; order < 25; order++) await acme.award({ amount: 1 })
  await service.lookNow()
  await service.lookNow()
  assert.deepEqual(kindsOf(service), ['failuresJumped'])
})

test('a partner that tries out what a user has received is told', async (t) => {
  const service = await start(t, { CAP_PER_USER_DAY: '1000' })
  const { acme, globex } = service
  const userEmail = 'ann@example.com'
  await globex.award({ userEmail, amount: 613_000 })
  // Twice a search by halving: a refusal credits nothing and uses up no order.
  for (let search = 0; search < 2; search++)
    for (let ep = 388 + 512; ep > 388; ep = 388 + Math.floor((ep - 388) / 2))
      assert.equal((await acme.award({ userEmail, amount: ep * 1_000 })).body.cap, 'perUserDay')
  await service.lookNow()
  assert.ok(kindsOf(service).includes('userDayProbing'))
  const line = alertLines(service).find(({ alert }) => alert === 'userDayProbing')!
  assert.equal(line.partnerId, 'acme')
})

test('metrics count what was logged and what is open, by kind', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  await perPartnerDay(service, 100)
  await service.acme.award({ amount: 90_000 })
  await service.lookNow()
  const samples = await scrape(service.operatorUrl)
  for (const name of ['partner_credit_alerts_total', 'partner_credit_alerts_open']) {
    assert.equal(sumOf(samples, name, { kind: 'capNear' }), 1, name)
    assert.equal(sumOf(samples, name), 1, name)
    assert.equal(samples.filter((sample) => sample.name === name).length, 7, 'kinds without one are 0')
  }
})
