import { deepEqual, equal, ok } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { freshDatabase, runSql } from '../../support/fresh-database.ts'
import { databaseOfOwnRole } from '../../support/own-role.ts'
import { leadToCopy } from '../../support/second-ledger.ts'
import { logged, serving, startWorkers, workerCount } from '../../support/workers.ts'

test('workers that replace others stay with the ledger when the search_path was changed to a copy', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const { server, key } = await startWorkers(t, { database: { ...database, url } })
  const acme = createClient(server.url, key, systemClock)
  const order = { orderId: 'once', userEmail: 'ann@example.com', note: 'the same' }
  equal((await acme.award(order)).status, 202)
  await leadToCopy(database.url, role)

  const [killed] = serving(server)
  process.kill(killed!, 'SIGKILL')
  await eventually('it is replaced', () => logged(server, 'worker serving').length === workerCount + 1)
  server.signal('SIGHUP')
  await eventually('all are restarted', () => logged(server, 'workers restarted').length === 1)

  for (let connection = 1; connection <= 20; connection++)
    equal((await acme.award(order, { connection: 'close' })).body.code, 'DUPLICATE')
  deepEqual(await runSql(database.url, 'SELECT order_id FROM "Second".entries'), [])
})

test('so do those after a restart with a new password in DATABASE_URL', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const dotEnv = `DATABASE_URL=${url}`
  const { server, key, folder } = await startWorkers(t, { dotEnv, database: { ...database, url } })
  let restarts = 0
  async function restartWithPassword(password: string): Promise<void> {
    await runSql(database.url, `ALTER ROLE ${role} PASSWORD '${password}'`)
    writeFileSync(join(folder, '.env'), dotEnv.replace(':test@', `:${password}@`))
    server.signal('SIGHUP')
    restarts++
    await eventually('all are restarted', () => logged(server, 'workers restarted').length === restarts)
  }
  const acme = createClient(server.url, key, systemClock)
  const order = { orderId: 'once', userEmail: 'ann@example.com', note: 'the same' }
  async function assertInLedger(): Promise<void> {
    for (let connection = 1; connection <= 20; connection++)
      equal((await acme.award(order, { connection: 'close' })).body.code, 'DUPLICATE')
    deepEqual(await runSql(database.url, 'SELECT order_id FROM "Second".entries'), [])
  }
  equal((await acme.award(order)).status, 202)
  await restartWithPassword('another')
  await leadToCopy(database.url, role)

  const started = logged(server, 'worker serving').length
  process.kill(serving(server)[0]!, 'SIGKILL')
  await eventually('it is replaced', () => logged(server, 'worker serving').length === started + 1)
  await assertInLedger()
  await restartWithPassword('th:ir@d')
  await assertInLedger()
})

test('workers never serve two ledgers side by side: another DATABASE_URL in .env counts after a stop', async (t) => {
  const { database, url } = await databaseOfOwnRole()
  const other = await freshDatabase()
  t.after(other.remove)
  const dotEnv = `DATABASE_URL=${url}`
  const { server, key, folder } = await startWorkers(t, { dotEnv, database: { ...database, url } })
  const acme = createClient(server.url, key, systemClock)
  const before = serving(server)
  // The driver reads PGOPTIONS from the environment: a worker is given our settings only.
  writeFileSync(join(folder, '.env'), `DATABASE_URL=${other.url}\nPGOPTIONS=-c search_path=nowhere`)

  const [killed, stays] = before
  process.kill(killed!, 'SIGKILL')
  await eventually('it is replaced', () => logged(server, 'worker serving').length === workerCount + 1)
  const serve = serving(server)
  server.signal('SIGHUP')
  await eventually('the restart is refused', () =>
    server.log.some((line) => line.includes('restart aborted')),
  )
  ok(server.log.some((line) => /DATABASE_URL leads to another database .* stop the server/.test(line)))
  deepEqual(serving(server), serve)
  ok(serve.includes(stays!))

  const order = { orderId: 'once', userEmail: 'ann@example.com' }
  equal((await acme.award(order)).status, 202)
  for (let connection = 1; connection <= 20; connection++)
    equal((await acme.award(order, { connection: 'close' })).body.code, 'DUPLICATE')
})
