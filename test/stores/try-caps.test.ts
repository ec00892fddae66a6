import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusals } from '../../src/answers/refusals.ts'
import { type TriedCap, tryCaps } from '../../src/answers/try-caps.ts'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { asking } from '../support/answer-sources.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type TestService } from '../support/service.ts'

type More = { days?: number; tenantId?: string; perPartnerDay?: undefined; perTx?: number }

async function tried(service: TestService, perPartnerDay: number, more: More = {}) {
  const question = { partnerId: 'acme', perPartnerDay, days: 30, now: service.clock.now(), ...more }
  const answer = await asking(service, (sources) => tryCaps(sources, question))
  assertAddsUp(answer)
  return answer
}

/** The days are the only source: every total is their sum, and what was refused is either admitted or still refused. */
function assertAddsUp({ tenants, refused, admittedAtLeast, stillRefused }: TriedCap): void {
  const isAlone = tenants.length === 1
  const days = tenants.filter(({ sandbox }) => !sandbox || isAlone).flatMap((tenant) => tenant.days)
  const sum = (field: Exclude<keyof (typeof days)[number], 'day'>) =>
    days.reduce((total, day) => total + day[field], 0)
  assert.deepEqual(refused, { awards: sum('refusedAwards'), points: sum('refusedPoints') })
  assert.deepEqual(admittedAtLeast, { orders: sum('admittedOrders'), points: sum('admittedPoints') })
  assert.deepEqual(stillRefused, { orders: sum('stillRefusedOrders'), points: sum('stillRefusedPoints') })
  for (const day of days) {
    assert.equal(day.refusedThenOrders, day.admittedOrders + day.stillRefusedOrders, day.day)
    assert.equal(day.refusedThenPoints, day.admittedPoints + day.stillRefusedPoints, day.day)
  }
}

function refusalsOnRecord(service: TestService, count: number): Promise<void> {
  const question = { since: 0, now: service.clock.now(), limit: 100 }
  return eventually(`${count} refusals are on record`, async () => {
    return (await asking(service, (sources) => refusals(sources, question))).rows.length === count
  })
}

const day = 86_400_000

test('a lower cap is tried on the past, award after award: what fits beside the others is kept', async (t) => {
  const service = await startService(t)
  const { acme, globex, clock } = service
  for (const amount of [50_000, 40_000, 30_000, 10_000]) await acme.award({ amount })
  await globex.award({ amount: 500_000 })
  clock.advance(day)
  await acme.award({ amount: 90_000 })
  await acme.award({ amount: 95_000, tenantId: 't2' })

  const { tenants, refused, admittedAtLeast, from, to } = await tried(service, 100)
  assert.deepEqual(refused, { awards: 1, points: 30 }, '50 + 40 + 10 fit')
  assert.deepEqual(admittedAtLeast, { orders: 0, points: 0 })
  assert.deepEqual([from, to], ['2026-10-18', '2026-11-16'])
  assert.deepEqual(
    tenants.map(({ tenantId, now, days }) => [
      tenantId,
      now,
      days.map(({ day, awards, points, refusedAwards, refusedPoints }) => [
        ...[day, awards, points, refusedAwards, refusedPoints],
      ]),
    ]),
    [
      [
        't1',
        { limit: 1_000_000, from: 'default' },
        [
          ['2026-11-15', 4, 130, 1, 30],
          ['2026-11-16', 1, 90, 0, 0],
        ],
      ],
      ['t2', { limit: 1_000_000, from: 'default' }, [['2026-11-16', 1, 95, 0, 0]]],
    ],
  )
  assert.deepEqual((await tried(service, 89)).refused, { awards: 4, points: 40 + 10 + 90 + 95 })
  assert.deepEqual((await tried(service, 89, { days: 1 })).refused, { awards: 2, points: 185 })
  assert.deepEqual((await tried(service, 89, { tenantId: 't2' })).refused, { awards: 1, points: 95 })
  assert.deepEqual((await tried(service, 130)).refused, { awards: 0, points: 0 })
  assert.deepEqual((await tried(service, 0)).refused, { awards: 6, points: 315 })
})

test('a higher cap would have admitted refused orders, each once, and none that was credited that day after all', async (t) => {
  const service = await startService(t)
  const { acme, clock, operate } = service
  const setCap = (perPartnerDay: number) =>
    operate((operator) => setPartnerCaps(operator, 'acme', { perTx: undefined, perPartnerDay }, undefined))
  await setCap(100)
  await acme.award({ orderId: 'A1', amount: 80_000 })
  for (const orderId of ['A2', 'A2', 'A2']) await acme.award({ orderId, amount: 30_000 })
  clock.advance(1)
  await acme.award({ orderId: 'A3', amount: 60_000 })
  await acme.award({ orderId: 'A4', amount: 21_000 })
  await setCap(101)
  assert.equal((await acme.award({ orderId: 'A4', amount: 21_000 })).status, 202)
  await acme.award({ orderId: 'A5', amount: 200_000_000 }) // refused by perTx: no demand of the daily cap
  await refusalsOnRecord(service, 6)

  const admitted = async (cap: number) => {
    const { admittedAtLeast, tenants } = await tried(service, cap)
    const [first] = tenants[0]!.days
    // What is tried does not change what happened: the retries of A2 count once, and A4 was credited that day.
    assert.deepEqual([first!.points, first!.refusedThenOrders, first!.refusedThenPoints], [101, 2, 90])
    return admittedAtLeast
  }
  assert.deepEqual(await admitted(100), { orders: 0, points: 0 }, 'the cap that refused them')
  assert.deepEqual(await admitted(131), { orders: 1, points: 30 })
  assert.deepEqual(await admitted(130), { orders: 0, points: 0 })
  assert.deepEqual(await admitted(190), { orders: 1, points: 30 })
  assert.deepEqual(await admitted(191), { orders: 2, points: 90 })
  assert.deepEqual(await admitted(1000), { orders: 2, points: 90 })

  // The next day the same order is refused again: it was admitted the day before.
  clock.advance(day)
  await acme.award({ orderId: 'B1', amount: 101_000 })
  await acme.award({ orderId: 'A2', amount: 30_000 })
  await refusalsOnRecord(service, 7)
  assert.deepEqual(await admitted(1000), { orders: 2, points: 90 })
  const cut = await tried(service, 1000, { days: 1 })
  assert.deepEqual(cut.admittedAtLeast, { orders: 1, points: 30 }, 'only today is looked at')
  assert.deepEqual(cut.refused, { awards: 0, points: 0 })
})

test('another perTx is tried on every award by itself, and what it admits must fit under the daily cap', async (t) => {
  const service = await startService(t)
  const { acme, clock, operate } = service
  await operate((operator) => setPartnerCaps(operator, 'acme', { perTx: 50, perPartnerDay: 130 }, undefined))
  for (const amount of [40_000, 20_000, 10_000]) await acme.award({ amount })
  for (const [orderId, amount] of [
    ['big', 51_000],
    ['big', 51_000],
    ['bigger', 52_000],
    ['biggest', 200_000],
  ] as const) {
    await acme.award({ orderId, amount })
    clock.advance(1)
  }
  await refusalsOnRecord(service, 4)
  const perTx = (value: number) => tried(service, 0, { perPartnerDay: undefined, perTx: value })
  const lower = await perTx(19)
  assert.deepEqual(lower.refused, { awards: 2, points: 60 })
  assert.deepEqual(lower.stillRefused, { orders: 3, points: 303 })
  assert.deepEqual([lower.perTx, lower.perPartnerDay, lower.tenants[0]!.now.limit], [19, null, 50])
  const higher = await perTx(60)
  assert.deepEqual(higher.refused, { awards: 0, points: 0 })
  assert.deepEqual(higher.admittedAtLeast, { orders: 1, points: 51 }, '70 + 51 fit under 130, 52 more do not')
})

test('tests in a sandbox do not count when a cap is tried, unless the sandbox is asked for', async (t) => {
  const service = await startService(t)
  const { acme } = service
  await service.operate((operator) => allowTenant(operator, 'acme', 'test-1', 'sandbox'))
  await eventually('the sandbox is allowed', async () => {
    return (await acme.award({ amount: 90_000, tenantId: 'test-1', orderId: 'first' })).status < 300
  })
  await acme.award({ amount: 20_000, tenantId: 'test-1' })
  await acme.award({ amount: 60_000 })
  const { refused, tenants } = await tried(service, 100)
  assert.deepEqual(refused, { awards: 0, points: 0 })
  assert.deepEqual(
    tenants.map(({ tenantId, sandbox }) => [tenantId, sandbox]),
    [
      ['t1', false],
      ['test-1', true],
    ],
  )
  const alone = await tried(service, 100, { tenantId: 'test-1' })
  assert.deepEqual(alone.refused, { awards: 1, points: 20 })
})

test('caps are not tried on a partner that does not exist', async (t) => {
  const service = await startService(t)
  const question = { partnerId: 'acmee', perPartnerDay: 5, days: 3, now: service.clock.now() }
  await assert.rejects(
    asking(service, (sources) => tryCaps(sources, question)),
    /no partner "acmee" \(did you mean "acme"\?\)/,
  )
})
