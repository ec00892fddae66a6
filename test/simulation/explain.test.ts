import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { aNoon } from '../support/test-clock.ts'
import { explain, type Sent } from './explain.ts'
import { type Answer, type Ask, midnightAfter, Model } from './model.ts'

const place = { partnerId: 'acme', tenantId: 't1', userEmail: 'lan@example.vn', note: null, meta: null }
const account = 'acme t1'

describe('awards that were sent at once', () => {
  let model: Model
  beforeEach(() => {
    model = new Model({ perTx: 10, perPartnerDay: 12, perUserDay: 100 })
    model.now = aNoon
    model.tenants.set('t1', null)
    const unset = { perTx: null, perPartnerDay: null }
    model.partners.set('acme', { ...unset, suspended: false, grants: new Map([['t1', unset]]), keys: [] })
  })
  const ask = (orderId: string, points: number): Ask => ({ ...place, orderId, amount: points * 1000 })
  const credited = (id: string, points: number, partnerDayRemaining: number): Answer => ({
    kind: 'credited',
    epTransactionId: id,
    points,
    partnerDayRemaining,
    dayResetsAt: midnightAfter(aNoon),
  })
  const duplicate = (epTransactionId: string, points: number): Answer => ({
    kind: 'duplicate',
    epTransactionId,
    points,
    awardedAt: aNoon,
  })
  const overTheDay = (requested: number, used: number): Answer => ({
    kind: 'rejected',
    rejection: {
      code: 'DAILY_CAP_EXCEEDED',
      requested,
      resetsAt: midnightAfter(aNoon),
      cap: 'perPartnerDay',
      limit: 12,
      used,
    },
  })
  const appended = (...ids: string[]) => new Map([[account, { before: 0, ids }]])

  test('are explained by the order in which the history has them, whatever the order of sending', () => {
    const sent: Sent[] = [
      { ask: ask('A', 5), id: 'a', answer: overTheDay(5, 8) },
      { ask: ask('B', 8), id: 'b', answer: credited('b', 8, 4) },
      { ask: ask('B', 8), id: 'c', answer: duplicate('b', 8) },
    ]
    assert.equal(explain(model, sent, appended('b')), true)
    assert.deepEqual(
      model.history(place).map(({ id }) => id),
      ['b'],
    )
  })

  test('have no explanation where both were let through and only one fits', () => {
    const sent: Sent[] = [
      { ask: ask('A', 8), id: 'a', answer: credited('a', 8, 4) },
      { ask: ask('B', 8), id: 'b', answer: credited('b', 8, 4) },
    ]
    assert.equal(explain(model, sent, appended('a', 'b')), false)
    assert.deepEqual(model.history(place), [], 'the model is as it was')
  })

  test('have none where one was turned away for room that was free', () => {
    const sent: Sent[] = [{ ask: ask('A', 5), id: 'a', answer: overTheDay(5, 8) }]
    assert.equal(explain(model, sent, appended()), false)
  })

  test('have none where an acknowledged award is not in the history', () => {
    const sent: Sent[] = [{ ask: ask('A', 5), id: 'a', answer: credited('a', 5, 7) }]
    assert.equal(explain(model, sent, appended()), false)
  })

  test('count without an answer as made exactly if the history has them', () => {
    const unknown: Sent = { ask: ask('A', 5), id: 'a', answer: null }
    const later: Sent = { ask: ask('B', 5), id: 'b', answer: credited('b', 5, 2) }
    assert.equal(explain(model, [unknown, later], appended('a', 'b')), true)
    assert.equal(model.history(place).length, 2)
  })
})
