import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pino from 'pino'
import { Unavailable } from '../../src/ledger/errors.ts'
import { serve as serveAgain } from '../../src/serve.ts'
import { openJournal } from '../../src/stores/open.ts'
import { openOperatorSessions } from '../../src/stores/sqlite/operator-sessions.ts'
import { createClient } from '../support/client.ts'
import { complaintOf, runCommand } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { anApi } from '../support/operator-api.ts'
import { type Lifetime, startService, temporaryFolder } from '../support/service.ts'
import { journaled, readJournal } from '../support/service-journal.ts'

/** Where the operator file of this database is, or will be. */
const operatorFileOf = ({ url }: FreshDatabase) => `${url.slice('sqlite:'.length)}-operator`

function serve(t: Lifetime, database: FreshDatabase) {
  return startService(t, {}, { database, journalEveryMs: 20 })
}

test('the operator file is readable by its owner only, and so is its log', async (t) => {
  const database = await freshDatabase('sqlite')
  const service = await serve(t, database)
  await service.acme.award()
  await journaled(service, 1)
  const file = operatorFileOf(database)
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    equal(statSync(name).mode & 0o777, 0o600, `of ${name}`)
})

test('an operator file that is deleted while the server runs comes back, with the same key', async (t) => {
  const database = await freshDatabase('sqlite')
  const service = await serve(t, database)
  await service.acme.award()
  await journaled(service, 1)
  const keyBefore = await readJournal(service, (journal) => journal.sealedKey())
  const file = operatorFileOf(database)
  for (const companion of ['', '-wal', '-shm']) rmSync(`${file}${companion}`)
  equal((await service.acme.award()).status, 202)
  await journaled(service, 1)
  deepEqual(await readJournal(service, (journal) => journal.sealedKey()), keyBefore)
  const said = /-operator was removed or replaced: it is opened again/
  await eventually('it says so', () => said.test(service.log.join()))
  equal((await service.verify()).sound, true)
})

const unusable: [what: string, make: (file: string) => void, reason: RegExp][] = [
  [
    'damaged',
    (file) => writeFileSync(file, Buffer.alloc(20_000, 'not a database')),
    /cannot be used \(it is damaged\)/,
  ],
  [
    'from a newer version',
    (file) => {
      const newer = new DatabaseSync(file)
      newer.exec(`CREATE TABLE migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT;
        INSERT INTO migrations VALUES ('9999-of-the-future.sql', 'x')`)
      newer.close()
    },
    /cannot be used \(the database is from a newer version/,
  ],
  ['a folder', (file) => mkdirSync(file), /cannot be used \(it is not a plain file\)/],
]
for (const [what, make, reason] of unusable) {
  test(`an operator file that is ${what} is set aside, with a warning, and a new one begins`, async (t) => {
    const database = await freshDatabase('sqlite')
    const file = operatorFileOf(database)
    make(file)
    const service = await serve(t, database)
    equal((await service.acme.award()).status, 202)
    await eventually('it says so', () => reason.test(service.log.join()))
    await journaled(service, 1)
    ok(existsSync(`${file}-damaged`))
    equal(statSync(file).mode & 0o777, 0o600)
  })
}

test('an operator file that is damaged in the middle is set aside when that is found', async (t) => {
  const database = await freshDatabase('sqlite')
  const first = await serve(t, database)
  await first.acme.award()
  await journaled(first, 1)
  await first.stop()
  const file = operatorFileOf(database)
  const bytes = readFileSync(file)
  bytes.fill(0xaa, 4_096)
  writeFileSync(file, bytes)
  const log: string[] = []
  const again = await serveAgain(first.config, {
    clock: first.clock,
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
    journalEveryMs: 20,
  })
  try {
    equal((await createClient(again.partnerUrl, first.acme, first.clock).award()).status, 202)
    await eventually('it says so', () => /cannot be used \(it is damaged\)/.test(log.join()))
    await journaled(first, 1)
  } finally {
    await again.stop()
  }
})

test('while the operator file cannot be written, awards go on, and it is written when it can be', async (t) => {
  const database = await freshDatabase('sqlite')
  const file = operatorFileOf(database)
  mkdirSync(`${file}-wal`, { recursive: true }) // SQLite can make no log
  const service = await serve(t, database)
  equal((await service.acme.award()).status, 202)
  await eventually('it says so', () => /the journal cannot be written/.test(service.log.join()))
  equal((await service.acme.award()).status, 202)
  const metrics = await (await fetch(`${service.operatorUrl}/metrics`)).text()
  match(metrics, /^partner_credit_journal_failed_writes_total [1-9]/m)
  const warnings = async () =>
    (await (await fetch(`${service.operatorUrl}/readyz`)).text()).split('"warnings":')[1]!
  await eventually('operators are told', async () =>
    /^\["the journal cannot be written since \d{4}-.*Z \(SQLite: .+\): .*refusals/.test(await warnings()),
  )

  rmSync(`${file}-wal`, { recursive: true })
  await journaled(service, 2)
  await eventually('it says so', () => /the journal is written again/.test(service.log.join()))
  await eventually('operators are told', async () => (await warnings()) === '[]}')
})

test('a journal that the disk keeps from being read is unavailable, and no unexpected error', async (t) => {
  const database = await freshDatabase('sqlite')
  const service = await serve(t, database)
  await service.acme.award()
  await journaled(service, 1)
  await service.stop()
  const file = operatorFileOf(database)
  // As on a full disk: SQLite can make no log.
  for (const name of [`${file}-wal`, `${file}-shm`]) mkdirSync(name)
  const journal = await openJournal(service.config.database)
  t.after(() => journal.close())
  await rejects(journal.refusals({ from: 0, limit: 1 }), (error: Error) => {
    ok(error instanceof Unavailable)
    match(error.message, /the journal in .*-operator cannot be read \(unable to open database file\)$/)
    return true
  })
})

test('an operator file that this user cannot make or own is named, with what to do, and is no unexpected error', async (t) => {
  const path = join(temporaryFolder(t), 'gone', 'ledger.db')
  const sessions = openOperatorSessions(path, () => {})
  await rejects(sessions.sessions(), (error: Error) => {
    ok(error instanceof Unavailable)
    match(error.message, /ledger\.db-operator cannot be opened \(ENOENT\): .* the user who runs the server/)
    return true
  })
})

for (const [damage, path] of [
  ['UPDATE journal_refusals SET requested = 9223372036854775807', '/refusals'],
  ['UPDATE operator_sessions SET used_at = 9223372036854775807', '/operators'],
] as const) {
  test(`${damage} in the operator file: the operator reads which file it is, and that it can be deleted`, async (t) => {
    const database = await freshDatabase('sqlite')
    const service = await serve(t, database)
    const api = await anApi(t, service)
    await api.as('admin', { path })
    equal((await service.acme.award({ amount: 10_000_000_000 })).status, 422)
    await journaled(service, 1)
    const raw = new DatabaseSync(operatorFileOf(database), { timeout: 10_000 })
    ok(raw.prepare(damage).run().changes > 0)
    raw.close()
    const { status, body } = await api.as('admin', { path })
    equal(status, 500)
    match(
      body.detail,
      /^a row of .*-operator cannot be read: it holds 9223372036854775807, .*It is not the ledger: .*delete/,
    )
    equal((await service.acme.award({ orderId: 'next' })).status, 202)
  })
}

test('a sum beyond 2^53 in the operator file: report says which file it is, and that it can be deleted', async (t) => {
  const database = await freshDatabase('sqlite')
  const service = await serve(t, database)
  equal((await service.acme.award()).status, 202)
  const raw = new DatabaseSync(operatorFileOf(database), { timeout: 10_000 })
  const isMade = () =>
    raw.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'account_days'").get() !== undefined
  const damage = () => raw.prepare('UPDATE account_days SET points = 9223372036854775807').run().changes > 0
  await eventually('it is damaged', () => isMade() && damage())
  raw.close()
  const report = ['report', '--from', '2000-01-01', '--to', '2100-01-01', '--database-url', database.url]
  const result = await runCommand(report, { cwd: temporaryFolder(t) })
  match(
    complaintOf(result, 1),
    /^partner-credit: a row of .*-operator cannot be read: .*It is not the ledger: /,
  )
})
