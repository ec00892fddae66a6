import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { integerBelow, seededRandom } from '../support/seeded-random.ts'
import { runFuzz } from './run-fuzz.ts'

test('thousands of mutated requests and every bit flip of a signed one: no promise is broken', async (t) => {
  const seed = integerBelow(seededRandom(t), 2 ** 31)
  const { figures, violations } = await runFuzz({ requests: 2_000, flips: 1, seed })
  deepEqual(violations, [])
  ok(Number(figures.credited) > 0, 'some of it was accepted')
  ok(Number(figures['bit flips']) > 1_000)
  t.diagnostic(
    `${figures.requests} requests, ${figures['bit flips']} bit flips, ${figures.credited} credited`,
  )
})
