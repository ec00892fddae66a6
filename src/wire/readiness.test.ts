import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { Unavailable } from '../ledger/faults.ts'
import { shareReadiness } from './readiness.ts'

/** A store that is asked, and answers when the test says so. */
function aStore() {
  const clock = createTestClock()
  const questions: PromiseWithResolvers<string[]>[] = []
  const ready = shareReadiness(() => {
    const question = Promise.withResolvers<string[]>()
    questions.push(question)
    return question.promise
  }, clock)
  return { clock, questions, ready }
}

test('whoever asks while the store is being asked shares its answer', async () => {
  const { questions, ready } = aStore()
  const asking = Array.from({ length: 1000 }, () => ready())
  questions[0]!.resolve(['a warning'])
  for (const warnings of await Promise.all(asking)) assert.deepEqual(warnings, ['a warning'])
  assert.equal(questions.length, 1)
})

test('an answer holds for a second from its question, good or bad, and then the store is asked again', async () => {
  const { clock, questions, ready } = aStore()
  const first = ready()
  clock.advance(600)
  questions[0]!.resolve([])
  await first
  clock.advance(399)
  await ready()
  assert.equal(questions.length, 1)

  clock.advance(1)
  const second = ready()
  assert.equal(questions.length, 2)
  questions[1]!.reject(new Unavailable('no standby'))
  await assert.rejects(second, /no standby/)
  clock.advance(999)
  await assert.rejects(ready(), /no standby/)
  clock.advance(1)
  const third = ready()
  questions[2]!.resolve([])
  assert.deepEqual(await third, [])
})

test('a store that does not answer is not asked again, and is not ready', async () => {
  const { clock, questions, ready } = aStore()
  await assert.rejects(ready(), /did not answer within 1000 ms/)
  clock.advance(5000)
  await assert.rejects(ready(), /did not answer/)
  assert.equal(questions.length, 1)

  questions[0]!.resolve([])
  await questions[0]!.promise
  await Promise.resolve()
  const next = ready()
  assert.equal(questions.length, 2, 'what it says at last is of long ago')
  questions[1]!.resolve([])
  assert.deepEqual(await next, [])
})
