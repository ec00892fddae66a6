import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedOf } from '../support/seeded-random.ts'
import { runInsider } from './run-insider.ts'

test('verify calls exactly those edited ledgers sound that a plain second opinion could take for true', async (t) => {
  const { violations } = await runInsider({ ledgers: 80, seed: seedOf(t) })
  assert.deepEqual(violations, [])
})
