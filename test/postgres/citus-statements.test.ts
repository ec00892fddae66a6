import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOnCitus, batchesOnPostgres } from '../../src/stores/postgres/batch-kind.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { anAward } from '../support/awards.ts'
import type { Lifetime } from '../support/service.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

const dayMs = 86_400_000
const caps = { perTx: 10, perPartnerDay: 22, perUserDay: 18 }

let count = 0
const aFresh = (userEmail: string, amount = 5000) =>
  anAward({
    userEmail,
    amount,
    orderId: `order-${++count}`,
    epTransactionId: `019a0000-0000-7000-8000-${String(count).padStart(12, '0')}`,
  })

/** Batches of one account that use everything the statements do; between them the clock moves by this much. */
const known = aFresh('lan@example.vn')
const batches = [
  { commands: [aFresh('lan@example.vn', 999)], thenMs: 0 },
  { commands: [known, aFresh('mai@example.vn')], thenMs: 1 },
  { commands: [known, aFresh('an@example.vn', 11_000), aFresh('lan@example.vn', 10_000)], thenMs: dayMs },
  { commands: [aFresh('lan@example.vn', 10_000), aFresh('lan@example.vn', 9000)], thenMs: -dayMs },
  { commands: [aFresh('mai@example.vn'), aFresh('an@example.vn', 1)], thenMs: 0 },
]

async function played(test: Lifetime, statements: typeof batchesOnCitus.statements) {
  const { database, clock, raw, verify } = await aStoreLedger(test, caps)
  const pool = openPool(database.kind === 'postgres' ? database.url : '', { connectionsMax: 1 })
  test.after(() => pool.end())
  const kind = { ...batchesOnPostgres, statements }
  const commit = prepareCommit(pool, { batches: kind, clock })
  const outcomes = []
  for (const { commands, thenMs } of batches) {
    outcomes.push(await commit(commands))
    clock.advance(thenMs)
  }
  const { sound, fault } = await verify()
  equal(sound, true, fault ?? '')
  return {
    outcomes,
    entries: await raw.rows('SELECT * FROM entries ORDER BY seq'),
    accounts: await raw.rows('SELECT * FROM accounts'),
    userDays: await raw.rows('SELECT * FROM user_days ORDER BY user_email, day'),
  }
}

test('the statements for one account of a Citus and those for many of a PostgreSQL write the same', async (t) => {
  const onPostgres = await played(t, batchesOnPostgres.statements)
  deepEqual(await played(t, batchesOnCitus.statements), onPostgres)
  deepEqual(
    onPostgres.outcomes.flat().map(({ kind }) => kind),
    [
      'rejected',
      'credited',
      'credited',
      'duplicate',
      'rejected',
      'credited',
      'credited',
      'rejected',
      'credited',
      'rejected',
    ],
  )
})
