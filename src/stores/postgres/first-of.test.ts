import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Damaged, Unavailable } from '../../ledger/errors.ts'
import { firstOf } from './first-of.ts'

/** Three that can be asked; each answers when the test says. */
function three(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked: PromiseWithResolvers<string>[] = []
  const ask = () => {
    asked.push(Promise.withResolvers<string>())
    return asked.at(-1)!.promise
  }
  const answer = firstOf([ask, ask, ask])
  answer.catch(() => {})
  return { asked, answer, pass: (ms: number) => t.mock.timers.tick(ms) }
}

const away = new Unavailable('away')

test('nobody else is asked while the first one answers in time', async (t) => {
  const { asked, answer, pass } = three(t)
  pass(699)
  asked[0]!.resolve('first')
  assert.equal(await answer, 'first')
  pass(10_000)
  assert.equal(asked.length, 1)
})

test('the next one is asked when one does not answer, and whoever answers first counts', async (t) => {
  const { asked, answer, pass } = three(t)
  pass(700)
  assert.equal(asked.length, 2)
  asked[0]!.resolve('first, late')
  assert.equal(await answer, 'first, late')
  asked[1]!.reject(away)
  await nextTurn()
  assert.equal(asked.length, 2)
})

test('the next one is asked at once when one is unavailable; if all are, so is the answer', async (t) => {
  const { asked, answer, pass } = three(t)
  asked[0]!.reject(away)
  await nextTurn()
  assert.equal(asked.length, 2)
  pass(700)
  assert.equal(asked.length, 3)
  asked[2]!.reject(away)
  await nextTurn()
  asked[1]!.reject(new Unavailable('the last one'))
  await assert.rejects(answer, /the last one/)
})

test('damage is an answer, which no other one would change', async (t) => {
  const { asked, answer } = three(t)
  asked[0]!.reject(new Damaged('a row is gone'))
  await assert.rejects(answer, /a row is gone/)
  assert.equal(asked.length, 1)
})
