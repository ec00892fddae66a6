import { deepEqual, equal, match } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { allowTenant } from '../partners/allow-tenant.ts'
import { setPartnerCaps } from '../partners/set-partner-caps.ts'
import { setPartnerRate } from '../partners/set-partner-rate.ts'
import { suspendPartner } from '../partners/set-partner-status.ts'
import type { Answer } from '../../test/support/client.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startService } from '../../test/support/service.ts'

const isMarked = ({ headers }: Answer) => headers.get('ep-sandbox')

describe('a response says whether it is about a sandbox tenant', async () => {
  const service = await startService({ after })
  const { acme, globex, operate } = service
  const tenantId = 't1-test'
  const user = 'ann@example.com'

  before(async () => {
    await operate((operator) => allowTenant(operator, 'acme', tenantId, 'sandbox'))
    await operate((operator) => setPartnerCaps(operator, 'acme', { perTx: 5, perPartnerDay: 10 }, tenantId))
    await eventually('the tenant is known', async () => (await acme.history(tenantId)).status === 200)
  })

  test('a fresh award, its replay and a conflict', async () => {
    const order = { tenantId, orderId: 'test-1', userEmail: user, amount: 5000 }
    for (const [fields, status] of [
      [order, 202],
      [order, 200],
      [{ ...order, amount: 6000 }, 409],
    ] as const) {
      const answer = await acme.award(fields)
      deepEqual([answer.status, isMarked(answer)], [status, 'true'])
    }
  })

  test('every refusal that comes after the signature was checked', async () => {
    const refusals = [
      await acme.award({ tenantId, amount: 999 }),
      await acme.award({ tenantId, amount: 6000 }),
      await acme.award({ tenantId, userEmail: 'nobody' }),
      await acme.award({ tenantId, amount: 1000, color: 'red' }),
      await acme.history(tenantId, '&limit=0'),
      await acme.history(tenantId, '&cursor=x'),
    ]
    deepEqual(
      refusals.map((answer) => [answer.status, isMarked(answer)]),
      [422, 422, 400, 400, 400, 400].map((status) => [status, 'true']),
    )
  })

  test('a page of history', async () => {
    const page = await acme.history(tenantId, '&limit=1')
    deepEqual([page.status, isMarked(page), page.body.items[0].orderId], [200, 'true', 'test-1'])
  })

  test('nothing about a live tenant is marked', async () => {
    const answers = [
      await acme.award({ orderId: 'order-1' }),
      await acme.award({ amount: 999 }),
      await acme.award({ userEmail: 'nobody' }),
      await acme.history('t1'),
    ]
    deepEqual(
      answers.map((answer) => [answer.status, isMarked(answer)]),
      [202, 422, 400, 200].map((status) => [status, null]),
    )
  })

  test('a sandbox tenant of another partner, or without a signature, is not disclosed', async () => {
    const answers = [
      await globex.award({ tenantId }),
      await globex.history(tenantId),
      await acme.award({ tenantId }, { 'X-Signature': '0'.repeat(64) }),
      await acme.history(tenantId, '', { 'X-Signature': '0'.repeat(64) }),
      await acme.awardBytes('{'),
    ]
    deepEqual(
      answers.map((answer) => [answer.status, isMarked(answer)]),
      [403, 403, 401, 401, 400].map((status) => [status, null]),
    )
  })

  test('an orderId that a test has used is refused in a live tenant, and the refusal says why', async () => {
    const { status, body } = await acme.award({ orderId: 'test-1', userEmail: user })
    deepEqual([status, body.code, body.differs], [409, 'ORDER_ID_CONFLICT', ['tenantId']])
    match(body.detail, /all your tenants together, sandbox tenants included: give test orders a prefix/)
    const amount = await acme.award({ tenantId, orderId: 'test-1', userEmail: user, amount: 7000 })
    equal(amount.body.detail.includes('sandbox'), false, 'only where the tenant differs')
    const page = await fetch(service.url + body.type)
    match(await page.text(), /sandbox tenants included.*a prefix of their own/)
  })

  test('what is credited there leaves a live tenant’s caps alone', async () => {
    const used = await acme.award({ tenantId, userEmail: user, amount: 5000 })
    equal(used.headers.get('ep-partner-day-remaining'), '0')
    const full = await acme.award({ tenantId, userEmail: user, amount: 1000 })
    deepEqual([full.body.code, isMarked(full)], ['DAILY_CAP_EXCEEDED', 'true'])
    const live = await acme.award({ tenantId: 't2', userEmail: user, amount: 5000 })
    deepEqual([live.status, live.headers.get('ep-partner-day-remaining')], [202, '999995'])
  })

  test('a suspended partner, and one that sends too often', async () => {
    await operate((operator) => suspendPartner(operator, 'acme'))
    const suspended = await acme.award({ tenantId, amount: 1000 })
    deepEqual([suspended.body.code, isMarked(suspended)], ['PARTNER_SUSPENDED', 'true'])
    await operate((operator) => setPartnerRate(operator, 'acme', 1))
    for (const send of [() => acme.award({ tenantId }), () => acme.history(tenantId)]) {
      const answers: Answer[] = []
      await eventually('too many requests', async () => {
        answers.unshift(await send())
        return answers[0]!.status === 429
      })
      deepEqual([answers[0]!.body.code, isMarked(answers[0]!)], ['RATE_LIMITED', 'true'])
    }
    equal((await service.verify()).sound, true)
  })
})
