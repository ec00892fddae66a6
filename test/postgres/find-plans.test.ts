import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/stores/open.ts'
import { findStatements } from '../../src/stores/postgres/find-entries.ts'
import { freshPostgres } from '../support/fresh-database.ts'
import { loadPartners } from '../support/many-partners.ts'

/** Some rows of each of 1,000 partners in 20 tenants: enough for the planner to prefer an index where there is one. */
const fill = `
  INSERT INTO tenants (tenant_id, created_at) SELECT 'more-' || n, 0 FROM generate_series(1, 20) AS n;
  INSERT INTO entries (partner_id, tenant_id, seq, ep_transaction_id, order_id, user_email, salt, raw_amount,
    amount_per_ep, points, awarded_at, per_tx, per_partner_day, per_user_day, partner_day_total, user_day_total, hash)
  SELECT partner_id, 'more-' || (1 + n % 20), n, gen_random_uuid(), 'order-' || n, 'user' || n % 50 || '@example.vn',
    '\\x00', 1000, 1000, 1, n, 9, 9, 9, 9, 9, '\\x00'
  FROM partners, generate_series(1, 30) AS n;
  ANALYZE`

test('with 1,000 partners every search of find uses an index of the ledger, also in a generic plan', async (t) => {
  const fresh = await freshPostgres()
  const store = await openStore({ kind: 'postgres', url: fresh.url })
  await loadPartners(store, 1000)
  await store.close()
  const client = new pg.Client(fresh.url)
  await client.connect()
  t.after(async () => {
    await client.end()
    await fresh.remove()
  })
  await client.query(fill)
  const ids = async (table: string, column: string) =>
    (await client.query(`SELECT ${column} AS id FROM ${table}`)).rows.map(({ id }) => id)
  const values = {
    order: [await ids('partners', 'partner_id'), 'order-7'],
    id: ['019a0000-0000-7000-8000-000000000001'],
    address: [await ids('tenants', 'tenant_id'), 'user7@example.vn', null, 20],
    addressInTenant: ['more-7', 'user7@example.vn', null, 20],
  }
  const indexes = {
    order: 'entries_by_order',
    id: 'entries_by_id',
    address: 'entries_by_user',
    addressInTenant: 'entries_by_user',
  }
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`SET plan_cache_mode = ${mode}`)
    for (const [name, index] of Object.entries(indexes) as [keyof typeof values, string][]) {
      const { rows } = await client.query(`EXPLAIN ${findStatements[name]}`, values[name])
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.match(plan, new RegExp(`using ${index} on entries|Index Scan on ${index}`), `${mode}: ${plan}`)
      assert.doesNotMatch(plan, /Seq Scan/, `${mode}: ${plan}`)
    }
  }
})
