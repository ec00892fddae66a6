import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { distributeStore, migrateStore, openReading } from '../../src/stores/open.ts'
import { distributePostgres } from '../../src/stores/postgres/distribute.ts'
import { migratePostgres } from '../../src/stores/postgres/open.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { citusUrl } from '../support/citus-database.ts'
import { emptyCitus, freshCitus } from '../support/fresh-citus.ts'
import { makeOlder } from '../support/older-ledger.ts'
import { startService } from '../support/service.ts'

test('plain PostgreSQL is refused with what is missing, and stays as it is', async (t) => {
  const { url, remove } = await freshPostgres()
  t.after(remove)
  await assert.rejects(
    distributeStore({ kind: 'postgres', url }),
    /plain PostgreSQL: distribute needs .* Citus/,
  )
})

test('the embedded ledger is refused', async () => {
  await assert.rejects(distributeStore({ kind: 'sqlite', path: 'any' }), /one file/)
})

if (citusUrl !== undefined) {
  test('on Citus the distributed tables award, replay, refuse, list, suspend and verify as ever', async (t) => {
    const fresh = await freshCitus()
    assert.deepEqual(
      await distributeStore({ kind: 'postgres', url: fresh.url }),
      { spread: [], broughtBack: [] },
      'it can be run again',
    )

    const service = await startService(t, {}, { nodes: 3, database: fresh })
    const { acme, globex } = service
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, order) => acme.award({ orderId: `A-${order}` })),
    )
    assert.ok(answers.every(({ status }) => status === 202))
    const raced = await Promise.all(
      ['t1', 't2', 't1', 't2'].map((tenantId) =>
        acme.award({ orderId: 'raced', userEmail: 'bob@example.com', tenantId }),
      ),
    )
    assert.equal(
      raced.filter(({ status }) => status === 202).length,
      1,
      'one order is credited in one tenant',
    )
    assert.ok(raced.every(({ status }) => [200, 202, 409].includes(status)))
    const award = { orderId: 'A-1', userEmail: 'ann@example.com' }
    assert.equal((await globex.award(award)).status, 202)
    assert.equal((await globex.award(award)).body.code, 'DUPLICATE')
    assert.deepEqual((await globex.award({ ...award, amount: 6000 })).body.differs, ['amount'])
    assert.equal((await acme.history('t2')).status, 200)
    await service.operate((operator) => suspendPartner(operator, 'globex'))
    assert.equal((await globex.award()).body.code, 'PARTNER_SUSPENDED')
    assert.deepEqual((await service.verify()).fault, null)
  })

  test('a filled database is distributed with all it has, and the small tables stay on the coordinator', async (t) => {
    const fresh = await emptyCitus()
    const url = `${fresh.url}?application_name=shop` // a server is found by whatever name it connects
    const database = { kind: 'postgres', url } as const
    await migrateStore(database)
    const service = await startService(t, {}, { nodes: 1, database: { ...fresh, url } })
    for (let order = 0; order < 20; order++) await service.acme.award({ orderId: `B-${order}` })
    await assert.rejects(distributeStore(database), /nothing was changed: a server is running.*Stop it first/)
    assert.equal((await service.acme.award({ orderId: 'B-20' })).status, 202)
    const before = await service.dump()
    await service.stop()
    assert.deepEqual(await distributeStore(database), {
      spread: ['accounts', 'entries', 'user_days'],
      broughtBack: [],
    })
    assert.equal(await service.dump(), before)
    assert.equal((await service.verify()).fault, null)
  })

  test('a session that writes to a table keeps distribute waiting only briefly, and nothing is moved', async (t) => {
    const fresh = await emptyCitus()
    const { url } = fresh
    await migrateStore({ kind: 'postgres', url })
    const forgotten = new pg.Client(url)
    await forgotten.connect()
    t.after(async () => {
      await forgotten.end()
      await fresh.remove()
    })
    await forgotten.query('BEGIN; UPDATE user_days SET points = 1') // the last one that is distributed
    const limits = { waitMs: 500, pauseMs: 100, totalMs: 1_000 }
    const distributing = () => distributePostgres(url, 4, { say: () => {}, limits })
    await assert.rejects(distributing, /^Error: nothing was changed: a table is in use, by session/)
    assert.deepEqual(await runSql(url, 'SELECT FROM pg_dist_partition'), [])
    await forgotten.query('COMMIT')
    assert.deepEqual((await distributing()).spread, ['accounts', 'entries', 'user_days'])
  })

  test('of two that run at the same time, one distributes the tables, and the other finds it done', async (t) => {
    const { url, remove } = await emptyCitus()
    t.after(remove)
    await migrateStore({ kind: 'postgres', url })
    const both = await Promise.all([distributePostgres(url), distributePostgres(url)])
    assert.deepEqual(
      both.map(({ spread }) => spread.length).sort((a, b) => a - b),
      [0, 3],
    )
  })

  test('small tables that an older version has copied to every node are brought back by distribute', async (t) => {
    const fresh = await freshCitus()
    const { url } = fresh
    await runSql(url, copySmallTables([...olderCopies, 'audit', 'audit_head', 'default_caps']))
    const { spread, broughtBack } = await distributeStore({ kind: 'postgres', url })
    assert.deepEqual(spread, [])
    assert.deepEqual(new Set(broughtBack), new Set([...olderCopies, 'audit', 'audit_head', 'default_caps']))
    const service = await startService(t, {}, { nodes: 1, database: fresh })
    assert.equal((await service.acme.award()).status, 202)
    assert.equal((await service.verify()).fault, null)
  })

  test('a cluster of an older version is migrated, and its small tables are brought back to the coordinator', async (t) => {
    const fresh = await emptyCitus()
    const { url } = fresh
    const database = { kind: 'postgres', url } as const
    await makeOlder(url)
    await runSql(url, olderLayout)
    await migrateStore(database)
    assert.deepEqual(await distributeStore(database), { spread: [], broughtBack: [] })
    const left = await runSql(url, 'SELECT logicalrelid::text AS name FROM pg_dist_partition ORDER BY 1')
    assert.deepEqual(
      left.map(({ name }) => name),
      ['accounts', 'entries', 'user_days'],
    )
    const reading = await openReading(database)
    t.after(async () => {
      await reading.close()
      await fresh.remove()
    })
    assert.deepEqual(await verifyLedger(reading, () => {}), {
      sound: true,
      entries: 0,
      accounts: 0,
      userDays: 0,
      fault: null,
    })
    const rows = await runSql(url, 'SELECT partner_id FROM partners ORDER BY 1')
    assert.deepEqual(
      rows.map(({ partner_id }) => partner_id),
      ['acme', 'globex'],
    )
  })

  test('a session on a worker that uses a copy of a small table keeps a migration waiting only briefly', async (t) => {
    const fresh = await emptyCitus()
    const { url, workers } = fresh
    await makeOlder(url)
    await runSql(url, olderLayout)
    const [shard] = await runSql(
      url,
      "SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'tenants'::regclass",
    )
    const forgotten = new pg.Client(workers[0]!.url)
    await forgotten.connect()
    t.after(async () => {
      await forgotten.end()
      await fresh.remove()
    })
    await forgotten.query(`BEGIN; SELECT FROM tenants_${shard!.shardid}`)
    const limits = { waitMs: 500, pauseMs: 100, totalMs: 1_000 }
    await assert.rejects(migratePostgres(url, { say: () => {}, limits }), /^Error: nothing was changed: /)
    await forgotten.query('COMMIT')
    assert.ok((await migratePostgres(url)).includes('0004-sandbox-tenants.sql'))
  })
}

/** As earlier versions distributed their tables. */
const olderCopies = [
  ...['migrations', 'partners', 'tenants', 'grants', 'keys', 'settings_version', 'keepsakes'],
]
const copySmallTables = (tables: string[]) =>
  [
    'SET citus.enable_unsafe_triggers = on;',
    ...tables.map((table) => `SELECT create_reference_table('${table}');`),
  ].join('\n')
const olderLayout = `
  SET citus.shard_count = 8;
  ${copySmallTables([...olderCopies, 'audit'])}
  SELECT create_distributed_table('accounts', 'partner_id', colocate_with => 'none');
  SELECT create_distributed_table('entries', 'partner_id', colocate_with => 'accounts');
  SELECT create_distributed_table('user_days', 'tenant_id', colocate_with => 'none');`
