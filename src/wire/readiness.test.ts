import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import { shareReadiness } from './readiness.ts'

/** A store whose checks settle when the test says so. */
function aStore() {
  const clock = createTestClock()
  const checks: PromiseWithResolvers<string[]>[] = []
  const ready = shareReadiness(() => {
    const question = Promise.withResolvers<string[]>()
    checks.push(question)
    return question.promise
  }, clock)
  return { clock, checks, ready }
}

test('callers share a check that is running', async () => {
  const { checks, ready } = aStore()
  const asking = Array.from({ length: 1000 }, () => ready())
  checks[0]!.resolve(['a warning'])
  for (const warnings of await Promise.all(asking)) assert.deepEqual(warnings, ['a warning'])
  assert.equal(checks.length, 1)
})

test('a result is valid for one second from the start of its check, good or bad; then the store is checked again', async () => {
  const { clock, checks, ready } = aStore()
  const first = ready()
  clock.advance(600)
  checks[0]!.resolve([])
  await first
  clock.advance(399)
  await ready()
  assert.equal(checks.length, 1)

  clock.advance(1)
  const second = ready()
  assert.equal(checks.length, 2)
  checks[1]!.reject(new Unavailable('no standby'))
  await assert.rejects(second, /no standby/)
  clock.advance(999)
  await assert.rejects(ready(), /no standby/)
  clock.advance(1)
  const third = ready()
  checks[2]!.resolve([])
  assert.deepEqual(await third, [])
})

test('a store that does not respond is not ready, and is not checked a second time', async () => {
  const { clock, checks, ready } = aStore()
  await assert.rejects(ready(), /did not respond within 1000 ms/)
  clock.advance(5000)
  await assert.rejects(ready(), /did not respond/)
  assert.equal(checks.length, 1)

  checks[0]!.resolve([])
  await checks[0]!.promise
  await Promise.resolve()
  const next = ready()
  assert.equal(checks.length, 2, 'the late result is too old')
  checks[1]!.resolve([])
  assert.deepEqual(await next, [])
})
