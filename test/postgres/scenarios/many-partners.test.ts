import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { report } from '../../../src/answers/report.ts'
import { usage } from '../../../src/answers/usage.ts'
import { vietnamDay } from '../../../src/rules/vietnam-day.ts'
import { counterQueries } from '../../../src/stores/counter-queries.ts'
import { openJournal, openQueries, openStore } from '../../../src/stores/open.ts'
import { readAccountDays } from '../../../src/stores/postgres/account-days.ts'
import { openPool } from '../../../src/stores/postgres/database.ts'
import { findStatements } from '../../../src/stores/postgres/find-entries.ts'
import { eventually } from '../../support/eventually.ts'
import { type FreshDatabase, freshPostgres } from '../../support/fresh-database.ts'
import { loadPartners } from '../../support/many-partners.ts'
import { aNoon } from '../../support/test-clock.ts'

const partners = 1_001
const tenants = 20
/** Of each partner, in its one tenant: half of them on the first day. */
const entries = 30
const day = vietnamDay(aNoon)

/** Enough for the planner to prefer an index where there is one. */
const fill = `
  INSERT INTO tenants (tenant_id, created_at) SELECT 'more-' || n, 0 FROM generate_series(1, ${tenants}) AS n;
  INSERT INTO entries (partner_id, tenant_id, seq, ep_transaction_id, order_id, user_email, salt, raw_amount,
    amount_per_ep, points, awarded_at, per_tx, per_partner_day, per_user_day, partner_day_total, user_day_total, hash)
  SELECT partner_id, 'more-' || (1 + right(partner_id, 6)::int % ${tenants}), n, gen_random_uuid(), 'order-' || n,
    'user' || n % 25 || '@example.vn', '\\x00', 1500, 1000, 1, ${aNoon} + n + 86400000 * (n / ${entries / 2 + 1}),
    9, 99, 9, n, n, '\\x00'
  FROM partners, generate_series(1, ${entries}) AS n;
  ${counterQueries[0]};
  ANALYZE`

describe('a database with 1,000 partners', () => {
  let database: FreshDatabase
  let client: pg.Client

  before(async () => {
    database = await freshPostgres()
    const store = await openStore({ kind: 'postgres', url: database.url })
    await loadPartners(store, partners)
    await store.close()
    client = new pg.Client(database.url)
    await client.connect()
    await client.query(fill)
  })

  after(async () => {
    await client.end()
    await database.remove()
  })

  test('with 1,000 partners every search of find uses an index of the ledger, also in a generic plan', async () => {
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

  /** Transactions of this database, of sessions that have ended. Each statement of a question is one. */
  async function statements(): Promise<number> {
    const { rows } = await client.query(
      'SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()',
    )
    return Number(rows[0].xact_commit)
  }

  test('with 1,000 partners usage of any day, and a report, take few statements', async (t) => {
    const location = { kind: 'postgres', url: database.url } as const
    const ask = async () => {
      const queries = await openQueries(location)
      const journal = await openJournal(location)
      try {
        const past = await usage(queries, { day, now: aNoon + 5 * 86_400_000 })
        assert.equal(past.accounts.length, partners)
        assert.deepEqual(
          past.accounts.map(({ points, perPartnerDay }) => [points, perPartnerDay.limit]),
          Array(partners).fill([entries / 2, 99]),
        )
        assert.deepEqual(
          past.tenants.map(({ users }) => users.length),
          Array(tenants).fill(entries / 2),
        )
        const now = await usage(queries, { day: day + 1, now: aNoon + 86_400_000 })
        assert.equal(now.accounts.length, partners)
        const sources = { queries, journal, fingerprintOf: async () => null }
        const { total, rows } = await report(sources, { from: day, to: day + 1, by: ['partner', 'day'] })
        assert.equal(rows.length, partners * 2)
        const awards = partners * entries
        assert.deepEqual(
          [total.awards, total.points, total.rawAmount, total.remainder],
          [awards, awards, awards * 1500, awards * 500],
        )
      } finally {
        await queries.close()
        await journal.close()
      }
    }
    const first = await statements()
    await ask()
    await eventually('its sessions are counted', async () => (await statements()) > first + 20)
    const taken = (await statements()) - first
    t.diagnostic(`${taken} statements`)
    assert.ok(taken < 200, `${taken} statements`)
  })

  test('a day that several statements have added up is one day', async (t) => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    t.after(() => pool.end())
    const wanted = { from: day, to: day + 1, tenantId: 'more-7' }
    const whole = (await Array.fromAsync(readAccountDays(pool, wanted))).flat()
    assert.equal(whole.length, (2 * (partners - 1)) / tenants)
    for (const limits of [
      { entriesMax: 7, rangesMax: 1_000 },
      { entriesMax: 50_000, rangesMax: 1 },
      { entriesMax: 40, rangesMax: 3 },
    ])
      assert.deepEqual((await Array.fromAsync(readAccountDays(pool, wanted, limits))).flat(), whole)
  })

  test('days that are read in the order of the table are the same, also where entries are elsewhere in it', async (t) => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    t.after(() => pool.end())
    const statements = { entriesMax: 50_000, rangesMax: 1_000 }
    const blocks = { entriesMin: 1, perBlockMin: 0, daysMax: 100_000, blocksMax: 400 }
    const never = { ...blocks, entriesMin: Number.MAX_SAFE_INTEGER }
    const read = async (wanted: { from: number; to: number; tenantId?: string }, limits = blocks) =>
      (await Array.fromAsync(readAccountDays(pool, wanted, statements, limits))).flat()
    const days = await read({ from: day, to: day + 1 })
    assert.equal(days.length, 2 * partners)
    assert.deepEqual(days, await read({ from: day, to: day + 1 }, never))

    // An entry in the middle of its account that was stored last, as in space that was used again.
    await client.query(`
    ALTER TABLE entries DISABLE TRIGGER entries_are_never_changed;
    UPDATE entries SET note = 'moved' WHERE partner_id = 'partner-000003' AND seq = 5`)
    const first = days.filter((one) => one.day === day)
    assert.deepEqual(await read({ from: day, to: day }), first)
    const { tenantId } = first[3]!
    assert.deepEqual(
      await read({ from: day, to: day, tenantId }),
      first.filter((one) => one.tenantId === tenantId),
    )
  })
})
