import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pino from 'pino'
import { personalCommitment } from '../../src/rules/entry-hash.ts'
import { readConfig } from '../../src/config.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { serve } from '../../src/serve.ts'
import { openStore } from '../../src/stores/open.ts'
import { carriedTables } from '../../src/stores/transfer/carried-tables.ts'
import { columnOf } from '../../src/stores/columns.ts'
import { type AwkwardLedger, anAwkwardLedger } from '../support/awkward-ledger.ts'
import { createClient } from '../support/client.ts'
import { storeKind } from '../support/fresh-database.ts'
import { aChange } from '../support/operators.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import {
  anEmptyDatabase,
  exportOf,
  importInto,
  masterKey,
  ownNumber,
  rawDump,
  resealed,
  type StoreKind,
  withRaw,
} from '../support/transfers.ts'
import { awardTogether } from '../support/award-together.ts'

/** Of acme in t1. */
const chainLength = 1062

/** Every combination of stores; those with PostgreSQL only if this run has one. */
const kinds: StoreKind[] = storeKind === 'sqlite' ? ['sqlite'] : ['sqlite', 'postgres']
const sources = new Map<StoreKind, AwkwardLedger>()
for (const kind of kinds) sources.set(kind, await anAwkwardLedger({ after }, kind))

for (const from of kinds) {
  for (const to of kinds) {
    if (storeKind === 'postgres' && from === 'sqlite' && to === 'sqlite') continue // has its own run
    test(`from ${from} to ${to}`, async (t) => {
      const { service, credited } = sources.get(from)!
      const source = service.config.database
      const target = await anEmptyDatabase(t, to)
      const file = await exportOf(source)
      const { counts, verification } = await importInto(target, file)

      await t.test(
        'nothing is lost: every row of every table is the same, hashes, keys and audit included',
        async () => {
          assert.equal(await rawDump(target), await rawDump(source))
          assert.equal(await exportOf(target), file, 'exported again, it is the same file')
          assert.deepEqual(verification, await service.verify())
          assert.equal(counts.entry, credited.length + 3)
          assert.equal(verification.sound, true)
        },
      )

      await t.test(
        'partners go on with their keys: known orders are known, chains and caps continue',
        async (t) => {
          const url = target.kind === 'sqlite' ? `sqlite:${target.path}` : target.url
          const environment = { PORT: '0', OPERATOR_PORT: '0', DATABASE_URL: url, MASTER_KEY: masterKey }
          const running = await serve(readConfig(environment), {
            clock: service.clock,
            log: pino({ enabled: false }),
          })
          t.after(() => running.stop())
          const acme = createClient(running.partnerUrl, service.acme, service.clock)
          const globex = createClient(running.partnerUrl, service.globex, service.clock)
          for (const { award, answer } of credited
            .filter(({ award }) => award.tenantId !== 't2')
            .slice(0, 40)) {
            const replay = await acme.award(award)
            assert.deepEqual([replay.status, replay.body.code], [200, 'DUPLICATE'])
            assert.equal(replay.body.epTransactionId, answer.body.epTransactionId)
          }
          assert.equal((await acme.award({ orderId: 'new', amount: 1000 })).status, 202)
          assert.equal((await acme.award({ orderId: 'A1', amount: 2000 })).body.code, 'ORDER_ID_CONFLICT')
          assert.equal((await acme.award({ tenantId: 't2' })).body.code, 'TENANT_NOT_ALLOWED')
          assert.equal((await globex.award()).body.code, 'PARTNER_SUSPENDED')
          assert.equal((await acme.history('t1', '&limit=1')).body.items[0].orderId, 'new')
          const ended = JSON.parse(
            (await exportOf(target)).split('\n').findLast((line) => line.includes('"orderId":"new"'))!,
          )
          assert.equal(ended.seq, chainLength + 1)
        },
      )

      await t.test(
        'operators can continue: their next change is numbered after the ones before it',
        async () => {
          const store = await openStore(target)
          const by = aChange({ actor: 'somebody new', action: 'tenant caps', at: 1 })
          await store.partners.changeTenant('t1', by, (before) => ({ ...before!, perUserDay: 5 }))
          await store.close()
          const [latest] = await withRaw(target, (raw) =>
            raw.rows('SELECT actor FROM audit ORDER BY audit_seq DESC LIMIT 1'),
          )
          assert.deepEqual({ ...latest }, { actor: 'somebody new' })
        },
      )
    })
  }
}

test('another master key is refused where the ledger has gone', async (t) => {
  const target = await anEmptyDatabase(t, storeKind)
  await importInto(target, await exportOf(sources.get(storeKind)!.service.config.database))
  const url = target.kind === 'sqlite' ? `sqlite:${target.path}` : target.url
  const other = Buffer.alloc(32, 8).toString('base64')
  const environment = { PORT: '0', OPERATOR_PORT: '0', DATABASE_URL: url, MASTER_KEY: other }
  await assert.rejects(
    serve(readConfig(environment), { log: pino({ enabled: false }) }),
    /master key is not the one/,
  )
})

test('a ledger in which nothing was ever set goes along too', async (t) => {
  const file = await exportOf(await migrated(await anEmptyDatabase(t, storeKind)))
  assert.equal(file.split('\n').length, 4, 'a header, the defaults, a closing line')
  await importInto(await anEmptyDatabase(t, storeKind), file)
})

test('an export is of one instant: what is awarded and set while it runs is not in it', async (t) => {
  const { database, store, operator } = await aStoreLedger(t)
  await awardTogether(store.ledger, [anOrder('A1')])
  const before = await exportOf(database)
  const during = await exportOf(database, async () => {
    await awardTogether(store.ledger, [anOrder('A2')])
    await suspendPartner(operator, 'acme')
  })
  assert.equal(during, before)
  assert.notEqual(await exportOf(database), before)
})

test('an entry with its commitment in the place of its salt is not imported: nothing binds its user any more', async (t) => {
  const file = await exportOf(sources.get(storeKind)!.service.config.database)
  const lines = file.trimEnd().split('\n')
  const at = lines.findIndex((line) => line.includes('"orderId":"strange"'))
  const { salt, ...entry } = JSON.parse(lines[at]!)
  const commitment = Buffer.from(personalCommitment({ ...entry, salt: Buffer.from(salt, 'hex') })).toString(
    'hex',
  )
  const moved = { ...entry, salt: null, commitment, userEmail: 'thief@example.vn' }
  lines[at] = JSON.stringify({ kind: 'entry', ...inOrder(moved) })
  const target = await anEmptyDatabase(t, storeKind)
  await assert.rejects(importInto(target, resealed(lines)), /line \d+: .* has no salt/)
})

test('a ledger that is not sound is not exported: a chain without its end would be whole again', async (t) => {
  const target = await anEmptyDatabase(t, storeKind)
  await importInto(target, await exportOf(sources.get(storeKind)!.service.config.database))
  await withRaw(target, async (raw) => {
    await raw.unlock()
    await raw.run(
      `DELETE FROM entries WHERE partner_id = 'acme' AND tenant_id = 't1' AND seq = ${chainLength}`,
    )
  })
  await assert.rejects(exportOf(target), /not sound: acme\/t1: ends at #1061 where its head says #1062/)
})

test('what could not be imported is not exported: the file would be no backup', async (t) => {
  const target = await anEmptyDatabase(t, storeKind)
  await importInto(target, await exportOf(sources.get(storeKind)!.service.config.database))
  await withRaw(target, (raw) => raw.run('UPDATE keys SET api_key_hash = upper(api_key_hash)'))
  await assert.rejects(exportOf(target), /a row of the table keys could not be imported: its apiKeyHash/)
})

/** Columns that follow from the others, or belong to the database and not to the ledger. */
const notCarried = [
  ...['accounts', 'audit_head', 'migrations', 'probe', 'settings_version', 'user_days'],
  ...['alerts', 'journal_counts', 'journal_key', 'journal_key_uses', 'journal_nodes', 'journal_refusals'],
  ...['journal_replays', 'verify_record'],
  ...['operator_sessions', 'operator_last_uses', 'operator_failures', 'access_log'],
]

/** What must not leave the database. */
const passwordHash = 'password_hash'

test('an export carries every column of every table but what a database numbers for itself, and passwords', async (t) => {
  const database = await migrated(await anEmptyDatabase(t, storeKind))
  const columnsOf = {
    sqlite: `SELECT tables.name AS "table", info.name AS "column"
      FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS info WHERE tables.type = 'table'`,
    // Without views: Citus has some of its own there.
    postgres: `SELECT table_name AS "table", column_name AS "column"
      FROM information_schema.columns JOIN information_schema.tables USING (table_catalog, table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  }
  const rows = await withRaw(database, (raw) => raw.rows(columnsOf[database.kind]))
  const stored = rows
    .filter(({ table }) => !notCarried.includes(String(table)))
    .filter(({ column }) => column !== ownNumber && column !== passwordHash)
    .map(({ table, column }) => `${table}.${column}`)
  const carried = Object.values(carriedTables).flatMap(({ table, fields }) =>
    Object.keys(fields).map((field) => `${table}.${columnOf(field)}`),
  )
  assert.deepEqual(new Set(stored), new Set(carried))
})

async function migrated<T extends Parameters<typeof openStore>[0]>(database: T): Promise<T> {
  await (await openStore(database)).close()
  return database
}

function inOrder(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(carriedTables.entry.fields).map((field) => [field, entry[field]]))
}
