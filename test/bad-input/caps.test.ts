import { deepEqual, equal } from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import type { AwardFields, Client } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const caps = { CAP_PER_TX: '10', CAP_PER_PARTNER_DAY: '30', CAP_PER_USER_DAY: '20' }
const service = await startService({ after }, caps)
const { acme, globex, clock } = service

const perTx = { status: 422, code: 'PER_TX_CAP_EXCEEDED' }
const daily = { status: 429, code: 'DAILY_CAP_EXCEEDED' }
const dayMs = 86_400_000
/** From noon in Vietnam, where every case begins, to the midnight at which the counters reset. */
const halfDayMs = dayMs / 2

let users = 0
/** Awards this many EP, to a new user unless one is named. */
function credit(points: number, fields: AwardFields = {}, client: Client = acme) {
  users++
  const userEmail = `private${users}@example.com`
  return client.award({ ...privateFields, userEmail, amount: points * 1000, ...fields })
}
async function accept(points: number, fields: AwardFields = {}, client: Client = acme): Promise<void> {
  const { status, body, text } = await credit(points, fields, client)
  deepEqual([status, body.points], [202, points], text)
}
const refuse = (expected: typeof perTx, points: number, fields: AwardFields = {}) =>
  assertRefused(service, expected, () => credit(points, fields))

describe('at a cap', () => {
  beforeEach(() => clock.advance(dayMs))

  describe('points = cap are accepted, cap + 1 refused, and a smaller award that fits is accepted', () => {
    test('perTx', async () => {
      await accept(10)
      const { body } = await refuse(perTx, 11)
      deepEqual([body.limit, body.requested], [10, 11])
      await accept(10, { amount: 10_999 })
      await accept(1)
    })

    test('perPartnerDay: with what is used, when it resets, and when to come back', async () => {
      for (const points of [10, 10, 9]) await accept(points)
      const { body, headers } = await refuse(daily, 2)
      const { cap, limit, requested, used, resetsAt } = body
      deepEqual({ cap, limit, requested, used }, { cap: 'perPartnerDay', limit: 30, requested: 2, used: 29 })
      equal(Date.parse(resetsAt), clock.now() + halfDayMs)
      equal(headers.get('retry-after'), String(halfDayMs / 1000))
      await accept(1)
      await refuse(daily, 1)
    })

    test('perPartnerDay is counted for each tenant and each partner by itself', async () => {
      for (const points of [10, 10, 10]) await accept(points)
      await refuse(daily, 1)
      await accept(10, { tenantId: 't2' })
      await accept(10, {}, globex)
    })

    test('perUserDay: over all partners, and without disclosing what others used', async () => {
      const userEmail = 'one.private@example.com'
      await accept(10, { userEmail })
      await accept(9, { userEmail }, globex)
      const { body, headers } = await refuse(daily, 2, { userEmail })
      const { cap, limit, requested, resetsAt } = body
      deepEqual({ cap, limit, requested }, { cap: 'perUserDay', limit: 20, requested: 2 })
      equal('used' in body, false)
      equal(Date.parse(resetsAt), clock.now() + halfDayMs)
      equal(headers.get('retry-after'), String(halfDayMs / 1000))
      await accept(2, { userEmail: 'another.private@example.com' })
      await accept(2, { userEmail, tenantId: 't2' })
      await accept(1, { userEmail })
      await refuse(daily, 1, { userEmail })
    })
  })

  describe('of two caps that are exceeded the narrower is named', () => {
    test('over perTx and over the day: PER_TX_CAP_EXCEEDED', async () => {
      for (const points of [10, 10, 10]) await accept(points)
      await refuse(perTx, 31)
      await refuse(perTx, 11)
    })
    test('over the day of the partner and of the user: perPartnerDay', async () => {
      const userEmail = 'two.private@example.com'
      for (const fields of [{ userEmail }, { userEmail }, {}]) await accept(10, fields)
      const { body } = await refuse(daily, 1, { userEmail })
      equal(body.cap, 'perPartnerDay')
    })
    test('an amount below the minimum comes before a full day', async () => {
      for (const points of [10, 10, 10]) await accept(points)
      await assertRefused(service, { status: 422, code: 'AMOUNT_BELOW_MIN' }, () =>
        credit(0, { amount: 999 }),
      )
    })
  })

  describe('an order that a cap refused', () => {
    test('is credited when it is sent again the next Vietnam day, not a moment earlier', async () => {
      for (const points of [10, 10, 10]) await accept(points)
      const order = { orderId: 'tomorrow', userEmail: 'late.private@example.com' }
      await refuse(daily, 5, order)
      clock.advance(halfDayMs - 1)
      const { headers } = await refuse(daily, 5, order)
      equal(headers.get('retry-after'), '1')
      clock.advance(1)
      await accept(5, order)
      equal((await credit(5, order)).body.code, 'DUPLICATE')
      clock.advance(halfDayMs)
    })
    test('may be sent again at once with a smaller amount: the orderId is not used up', async () => {
      await refuse(perTx, 11, { orderId: 'smaller' })
      await accept(10, { orderId: 'smaller' })
    })
  })

  describe('awards that arrive together', () => {
    test('fill a cap exactly and never exceed it', async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => credit(1)))
      const count = (status: number) => answers.filter((answer) => answer.status === status).length
      deepEqual([count(202), count(429)], [30, 10])
    })
  })

  test('afterwards the ledger is sound and the log holds nothing private', () =>
    assertSoundAndDiscreet(service))
})
