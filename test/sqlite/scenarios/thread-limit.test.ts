import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { openDatabase } from '../../../src/stores/sqlite/database.ts'
import { environmentOf, makeAcmeFile } from '../../support/acme-file.ts'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/service.ts'
import { verifyFile } from '../../support/sqlite-ledger.ts'

const skip = existsSync('/usr/bin/prlimit') ? false : 'needs prlimit'

/** The limit does not hold for root. A server of root's tests runs as nobody, who may read the files of root here. */
const isRoot = process.getuid?.() === 0
const nobody = 65_534
const asNobody = isRoot ? ['setpriv', `--reuid=${nobody}`] : []
const under = isRoot ? [...asNobody, '--inh-caps=+dac_override', '--ambient-caps=+dac_override'] : []

/** Of processes and threads that the server's user may have. More than that may be there already: they stay. */
function limitThreads(pid: number, max: number): void {
  const [program, ...args] = [...asNobody, 'prlimit', '--pid', String(pid), `--nproc=${max}:`]
  execFileSync(program!, args)
}

test('a server that may start no more threads goes on crediting, refuses what needs another thread, and starts it when it may', {
  skip,
}, async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ledger.db')
  const key = await makeAcmeFile(path)
  if (isRoot) for (const owned of [folder, path]) chownSync(owned, nobody, nobody)
  const environment = environmentOf(path)
  const server = await startServerProcess(environment, { under })
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)
  const award = async (orderId: string) =>
    (await acme.award({ orderId, userEmail: 'ann@example.com', amount: 1000 })).status
  const history = async () => (await acme.history('t1')).status
  const operatorApi = async () => (await fetch(`${server.operatorUrl}/operator/v1/openapi.json`)).status
  const script = async () => (await fetch(`${server.url}/docs/scripts/clock.ts`)).status
  const page = async () => (await fetch(`${server.url}/docs`)).status
  assert.equal(await award('A1'), 202)

  limitThreads(server.pid, 1)
  const beside = openDatabase(path)
  t.after(() => beside.close())
  const growLog = (bytes: number) =>
    beside.exec(`INSERT OR REPLACE INTO probe (only_row, ballast) VALUES (1, zeroblob(${bytes}))`)
  const logPages = () => Number(beside.prepare('PRAGMA wal_checkpoint(NOOP)').get()!.log)
  // With the next commit, the log is so long that a thread has to copy it.
  growLog(100_000_000)
  const longLog = logPages()
  assert.equal(await award('A2'), 202)
  assert.deepEqual([await history(), await operatorApi(), await script(), await page()], [503, 503, 503, 503])
  assert.equal(await award('A3'), 202)
  assert.ok(logPages() >= longLog)

  limitThreads(server.pid, 10_000)
  await eventually('all of it works', async () => {
    const statuses = [await history(), await operatorApi(), await script(), await page()]
    return statuses.every((status) => status < 500)
  })
  await eventually('the log is copied, and starts over', async () => {
    // By as much as makes the writer look at the log again.
    growLog(5_000_000)
    assert.equal(await award('A3'), 200)
    return logPages() < longLog
  })
  assert.equal(await server.end('SIGTERM'), 0)
  assert.equal((await verifyFile(path)).sound, true)
})
