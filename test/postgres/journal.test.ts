import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { openStore } from '../../src/stores/open.ts'
import { createClient } from '../support/client.ts'
import { killSessions, openSession, urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { startServerProcess } from '../support/server-process.ts'
import { startService } from '../support/service.ts'
import { always, journaled, readJournal } from '../support/service-journal.ts'

test('while the tables of the journal are locked, awards go on; afterwards it has all of them, once', async (t) => {
  const service = await startService(t, {}, { nodes: 1, journalEveryMs: 20 })
  equal((await service.acme.award()).status, 202)
  await journaled(service, 1)
  const url = urlOf(service)
  const holder = await openSession(t, url)
  await holder.query('BEGIN; LOCK TABLE journal_counts, journal_nodes IN ACCESS EXCLUSIVE MODE')
  for (let order = 0; order < 5; order++) equal((await service.acme.award()).status, 202)
  await eventually('the journal waits', async () => {
    const waiting = await runSql(
      url,
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return waiting.length > 0
  })
  equal((await fetch(`${service.operatorUrl}/readyz`)).status, 200)
  await killSessions(url, `wait_event_type = 'Lock'`)
  await eventually('it says so', () => /the journal cannot be written/.test(service.log.join()))
  equal((await service.acme.award()).status, 202)
  await holder.query('ROLLBACK')
  await journaled(service, 7)
  const [sum] = await readJournal(service, (journal) => journal.counts({ span: 'day', ...always, by: [] }))
  equal(sum?.points, 35)
})

test('without a table of the journal awards go on, and the log and /readyz say why it is not written', async (t) => {
  const service = await startService(t, {}, { nodes: 1, journalEveryMs: 20 })
  await runSql(urlOf(service), 'DROP TABLE journal_counts')
  equal((await service.acme.award()).status, 202)
  await eventually('it says so', () => /the journal cannot be written/.test(service.log.join()))
  match(service.log.join(), /journal_counts/)
  await eventually('/readyz says why', async () =>
    /journal_counts/.test(await (await fetch(`${service.operatorUrl}/readyz`)).text()),
  )
  equal((await service.acme.award()).status, 202)
  equal((await service.verify()).sound, true)
})

test('workers of one node write side by side; what a killed one had written stays, and its successor goes on', async (t) => {
  const database = await freshPostgres()
  t.after(() => database.remove())
  const masterKey = Buffer.alloc(32, 7).toString('base64')
  const environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey, WORKERS: '2' }
  const config = readConfig(environment)
  const store = await openStore(config.database)
  const key = await createPartner(
    { store: store.partners, actor: 'test', now: 0 },
    { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null },
    config.masterKey!,
  )
  await store.close()
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGTERM'))
  const acme = createClient(server.url, key, systemClock)
  let sent = 0
  async function award(): Promise<void> {
    // On connections of their own, at the same time, so that every worker gets some.
    const answers = Array.from({ length: 8 }, () => acme.award({}, { connection: 'close' }))
    for (const { status } of await Promise.all(answers)) equal(status, 202)
    sent += answers.length
  }
  const nodesIn = async () => (await runSql(database.url, 'SELECT DISTINCT node FROM journal_counts')).length
  async function bySeveral(count: number): Promise<void> {
    const written = async () => {
      await award()
      return (await nodesIn()) === count
    }
    await eventually(`${count} processes have written`, written, { withinMs: 60_000 })
    await journaled({ config }, sent)
  }
  await bySeveral(2)

  const worker = server.log
    .map((line) => JSON.parse(line))
    .find(({ msg }) => msg === 'worker serving')?.worker
  process.kill(worker, 'SIGKILL')
  const replaced = () => server.log.filter((line) => line.includes('"worker serving"')).length === 3
  await eventually('it is replaced', replaced, { withinMs: 60_000 })
  await journaled({ config }, sent)
  await bySeveral(3)
})

test('a logical replica of all tables, for reports or an upgrade, keeps no table from losing rows', async (t) => {
  const { url, remove } = await freshPostgres()
  t.after(remove)
  await runSql(url, 'CREATE PUBLICATION replica FOR ALL TABLES')
  const tables = await runSql(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  // PostgreSQL refuses it before it looks for rows.
  for (const { name } of tables) await runSql(url, `DELETE FROM "${name}" WHERE false`)
})
