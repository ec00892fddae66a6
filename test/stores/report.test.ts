import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ReportDimension, report } from '../../src/answers/report.ts'
import { reportCsv } from '../../src/answers/report-csv.ts'
import { ApiProblem } from '../../src/operator/api/problem.ts'
import { problemOf } from '../../src/operator/api/problem-of.ts'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { parseDay } from '../../src/rules/vietnam-day.ts'
import { asking } from '../support/answer-sources.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type TestService } from '../support/service.ts'

const [first, second] = [parseDay('2026-11-15')!, parseDay('2026-11-16')!]
const both = { from: first, to: second }

function reported(service: TestService, question: Parameters<typeof report>[1]) {
  return asking(service, (sources) => report(sources, question))
}

/** Two days of awards and refusals; what is refused is in the journal when this returns. */
async function aService(t: TestContext): Promise<TestService> {
  const service = await startService(t, { CAP_PER_TX: '100', CAP_PER_PARTNER_DAY: '150' })
  const { acme, globex, clock, operate } = service
  await operate((operator) => allowTenant(operator, 'acme', 'test', 'sandbox'))
  clock.advance(-86_400_000) // requests of the day before are in no report
  await eventually('the sandbox tenant is known', async () => {
    return (await acme.award({ orderId: 'S0', amount: 1, tenantId: 'test' })).status !== 403
  })
  clock.advance(86_400_000)
  await acme.award({ orderId: 'A1', amount: 60_999 })
  await acme.award({ orderId: 'A2', amount: 50_001 })
  await acme.award({ orderId: 'A3', amount: 101_000 }) // perTx
  await acme.award({ orderId: 'A4', amount: 99_000 }) // perPartnerDay
  await globex.award({ orderId: 'B1', amount: 7000 })
  clock.advance(86_400_000)
  await acme.award({ orderId: 'A4', amount: 99_000 })
  await acme.award({ orderId: 'A5', amount: 2500, tenantId: 't2' })
  await acme.award({ orderId: 'A6', amount: 999, tenantId: 't2' }) // below the minimum
  await acme.award({ orderId: 'S1', amount: 9000, tenantId: 'test' })
  await acme.award({ orderId: 'S2', amount: 900, tenantId: 'test' })
  await eventually('the journal has it all', async () => {
    const { total } = await reported(service, { ...both, by: ['day'], tenantId: 'test' })
    return total.refusals.AMOUNT_BELOW_MIN === 1
  })
  return service
}

test('a report adds up awards, EP, raw amounts and remainders from the ledger, and refusals by code', async (t) => {
  const service = await aService(t)
  const by: ReportDimension[] = ['partner', 'tenant', 'day']
  const { rows, total, ...about } = await reported(service, { ...both, by })
  assert.deepEqual(
    rows.map(({ partnerId, tenantId, day, awards, points, rawAmount, remainder, refusals }) => {
      return [partnerId, tenantId, day, awards, points, rawAmount, remainder, refusals]
    }),
    [
      ['acme', 't1', '2026-11-15', 2, 110, 111_000, 1000, { DAILY_CAP_EXCEEDED: 1, PER_TX_CAP_EXCEEDED: 1 }],
      ['acme', 't1', '2026-11-16', 1, 99, 99_000, 0, {}],
      ['acme', 't2', '2026-11-16', 1, 2, 2500, 500, { AMOUNT_BELOW_MIN: 1 }],
      ['globex', 't1', '2026-11-15', 1, 7, 7000, 0, {}],
    ],
  )
  assert.deepEqual(total, {
    awards: 5,
    points: 218,
    rawAmount: 219_500,
    remainder: 1500,
    refusals: { DAILY_CAP_EXCEEDED: 1, PER_TX_CAP_EXCEEDED: 1, AMOUNT_BELOW_MIN: 1 },
    refusedPoints: 200,
  })
  const [headings, first] = reportCsv({ by: ['partner', 'day'], rows }).split('\n')
  const columns = 'partner,partnerName,day,awards,points,rawAmount,remainder,refusals,refusedPoints'
  assert.equal(headings!.split(',').slice(0, 9).join(','), columns)
  assert.equal(first!.split(',').slice(0, 9).join(','), 'acme,acme,2026-11-15,2,110,111000,1000,2,200')
  assert.deepEqual(about.sandboxTenantsLeftOut, ['test'])
  assert.deepEqual([about.from, about.to], ['2026-11-15', '2026-11-16'])
  assert.match(about.refusalsSince!, /^2026-11-1/)
})

test('every way to group gives the same total, which a period, a partner and a tenant narrow', async (t) => {
  const service = await aService(t)
  const ways: ReportDimension[][] = [['day'], ['tenant'], ['partner'], ['day', 'partner'], ['tenant', 'day']]
  const totals = await Promise.all(ways.map((by) => reported(service, { ...both, by })))
  for (const { total, rows } of totals) {
    assert.deepEqual(total, totals[0]!.total)
    assert.equal(
      rows.reduce((sum, { points }) => sum + points, 0),
      total.points,
    )
  }
  assert.deepEqual(
    totals[0]!.rows.map(({ day, partnerId, points }) => [day, partnerId, points]),
    [
      ['2026-11-15', null, 117],
      ['2026-11-16', null, 101],
    ],
  )
  const by: ReportDimension[] = ['partner']
  assert.equal((await reported(service, { from: second, to: second, by })).total.points, 101)
  assert.equal((await reported(service, { ...both, by, partnerId: 'globex' })).total.points, 7)
  assert.equal((await reported(service, { ...both, by, tenantId: 't2' })).total.points, 2)
  const sandbox = await reported(service, { ...both, by, tenantId: 'test' })
  assert.equal(sandbox.total.points, 9, 'a sandbox that is asked for by name')
  assert.deepEqual(sandbox.total.refusals, { AMOUNT_BELOW_MIN: 1 })
  const nothing = await reported(service, { from: second + 1, to: second + 9, by })
  assert.deepEqual([nothing.rows, nothing.total.awards], [[], 0])
  await assert.rejects(reported(service, { from: second, to: first, by }), /ends before it begins/)
  await assert.rejects(reported(service, { ...both, by, partnerId: 'acne' }), /did you mean "acme"/)
})

test('a sum that could not be exact is refused with advice, and those of a part are told', async (t) => {
  const most = '1000000000000'
  const service = await startService(t, {
    CAP_PER_TX: most,
    CAP_PER_PARTNER_DAY: most,
    CAP_PER_USER_DAY: most,
  })
  const { acme, clock } = service
  const days = 10
  for (let day = 0; day < days; day++) {
    assert.equal((await acme.award({ orderId: `A${day}`, amount: 1_000_000_000_000_999 })).status, 202)
    clock.advance(86_400_000)
  }
  const sums = (to: number, by: ReportDimension[]) =>
    asking(service, (sources) => report(sources, { from: first, to, by }))
  const advice = /exceeds 2\^53 - 1 .*: ask for one tenant, one partner, or a shorter period$/
  await assert.rejects(sums(first + days, ['day']), advice)
  assert.equal((await sums(first + 1, ['day'])).total.rawAmount, 2 * 1_000_000_000_000_999)
  const refused = await sums(first + days, ['partner']).catch(problemOf)
  assert.ok(refused instanceof ApiProblem)
  assert.equal(refused.code, 'REFUSED')
  assert.match(refused.message, advice)
})
