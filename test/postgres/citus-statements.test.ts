import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { type BatchKind, batchesOnPostgres } from '../../src/stores/postgres/batch-kind.ts'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { anAward } from '../support/awards.ts'
import { withoutShards } from '../support/citus-anywhere.ts'
import type { Lifetime } from '../support/service.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

const dayMs = 86_400_000
const caps = { perTx: 10, perPartnerDay: 22, perUserDay: 18 }

let count = 0
const aFresh = (userEmail: string, amount = 5000, account: { partnerId?: string; tenantId?: string } = {}) =>
  anAward({
    ...account,
    userEmail,
    amount,
    orderId: `order-${++count}`,
    epTransactionId: `019a0000-0000-7000-8000-${String(count).padStart(12, '0')}`,
  })

/** The tenants are on different shards, and t2's comes first. */
const shards = { ...noShardMap, ofTenant: (tenantId: string) => (tenantId === 't2' ? '1' : '2') }
const inT2 = { tenantId: 't2' }
const ofGlobex = { partnerId: 'globex' }

/** Batches that use everything the statements do; between them the clock moves by this much. */
const known = aFresh('lan@example.vn')
const batches = [
  { commands: [aFresh('lan@example.vn', 999)], thenMs: 0 },
  { commands: [known, aFresh('mai@example.vn')], thenMs: 1 },
  { commands: [known, aFresh('an@example.vn', 11_000), aFresh('lan@example.vn', 10_000)], thenMs: dayMs },
  { commands: [aFresh('lan@example.vn', 10_000), aFresh('lan@example.vn', 9000)], thenMs: -dayMs },
  { commands: [aFresh('mai@example.vn'), aFresh('an@example.vn', 1)], thenMs: 0 },
  {
    commands: [
      aFresh('lan@example.vn', 1000, inT2),
      aFresh('an@example.vn', 1000, ofGlobex),
      aFresh('an@example.vn', 1000),
      aFresh('lan@example.vn', 1000, ofGlobex),
      aFresh('lan@example.vn', 2000, inT2),
      aFresh('an@example.vn', 99, inT2),
    ],
    thenMs: 1,
  },
  { commands: [aFresh('lan@example.vn', 2000, inT2), aFresh('mai@example.vn', 1000, ofGlobex)], thenMs: 0 },
]

async function played(test: Lifetime, batchKind: BatchKind, makesUserDays = false) {
  const { database, clock, raw, verify } = await aStoreLedger(test, caps)
  const pool = openPool(database.kind === 'postgres' ? database.url : '', { connectionsMax: 1 })
  test.after(() => pool.end())
  const races = { seenAt: makesUserDays ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY }
  const commit = prepareCommit(pool, { batches: batchKind, clock, races })
  const outcomes = []
  for (const { commands, thenMs } of batches) {
    outcomes.push(await commit(commands))
    clock.advance(thenMs)
  }
  const { sound, fault } = await verify()
  equal(sound, true, fault ?? '')
  return {
    outcomes,
    entries: await raw.rows('SELECT * FROM entries ORDER BY partner_id, tenant_id, seq'),
    accounts: await raw.rows('SELECT * FROM accounts ORDER BY partner_id, tenant_id'),
    userDays: await raw.rows('SELECT * FROM user_days ORDER BY tenant_id, user_email, day'),
  }
}

test('the statements for Citus and those for one PostgreSQL write the same', async (t) => {
  const onPostgres = await played(t, batchesOnPostgres)
  const onCitus = withoutShards(batchesOnCitus(shards))
  deepEqual(await played(t, onCitus), onPostgres)
  deepEqual(await played(t, onCitus, true), onPostgres)
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
      ...['credited', 'credited', 'credited', 'credited', 'credited', 'rejected'],
      ...['credited', 'credited'],
    ],
  )
})
