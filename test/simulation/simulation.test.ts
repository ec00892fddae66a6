import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeKind } from '../support/fresh-database.ts'
import { seedOf } from '../support/seeded-random.ts'
import { simulate } from './simulation.ts'

const short = storeKind === 'sqlite' ? { nodes: 1, ops: 4_000 } : { nodes: 3, ops: 500 }

test('under faults, crashes and a jumping clock the ledger responds and stores what the model says', async (t) => {
  const seed = seedOf(t)
  const { operations, faults, failure } = await simulate({ store: storeKind, seed, ...short })
  assert.equal(failure, null)
  t.diagnostic(`${operations} operations, ${faults.size} kinds of faults`)
  assert.ok(faults.size > 0, 'faults have fired')
})
