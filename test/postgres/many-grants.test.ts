import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createKey } from '../../src/partners/create-key.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { createPartnerRecords } from '../../src/stores/postgres/partner-records.ts'
import { freshPostgres } from '../support/fresh-database.ts'
import { aMasterKey } from '../support/operators.ts'

test('a change takes no more statements with many tenants and keys than with one: a thief is not suspended for minutes', async (t) => {
  const database = await freshPostgres()
  const pool = openPool(database.url, { connectionsMax: 1 })
  t.after(async () => {
    await pool.end()
    await database.remove()
  })
  let statements = 0
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...all: unknown[]) => unknown
    client.query = ((...all: unknown[]) => {
      statements++
      return query(...all)
    }) as typeof client.query
  })
  const operator = { store: createPartnerRecords(pool), actor: 'test', now: 0 }
  const counts: number[] = []
  for (const [partnerId, count] of [
    ['one', 1],
    ['many', 400],
  ] as const) {
    const tenants = Array.from({ length: count }, (_, index) => `t${String(index).padStart(3, '0')}`)
    const caps = { perTx: null, perPartnerDay: null }
    await createPartner(operator, { partnerId, name: partnerId, tenants, ...caps }, aMasterKey)
    for (let keys = 1; keys < Math.min(count, 20); keys++) await createKey(operator, partnerId, aMasterKey)
    statements = 0
    const { status, grants, keys } = await suspendPartner(operator, partnerId)
    counts.push(statements)
    equal(status, 'suspended')
    equal(keys.length, Math.min(count, 20))
    deepEqual(
      grants.map(({ tenantId }) => tenantId),
      tenants,
    )
  }
  equal(counts[1], counts[0])
})
