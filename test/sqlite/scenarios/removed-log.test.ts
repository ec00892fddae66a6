import assert from 'node:assert/strict'
import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { environmentOf, makeAcmeFile } from '../../support/acme-file.ts'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { operatorReads } from '../../support/operator-reads.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/service.ts'
import { verifyFile } from '../../support/sqlite-ledger.ts'

async function aLedger(t: TestContext) {
  const path = join(temporaryFolder(t), 'ledger.db')
  const key = await makeAcmeFile(path)
  const environment = environmentOf(path)
  async function serve() {
    const server = await startServerProcess(environment)
    t.after(() => server.end('SIGKILL'))
    const acme = createClient(server.url, key, systemClock)
    const award = (orderId: string) => acme.award({ orderId, userEmail: 'ann@example.com', amount: 1000 })
    return { server, award }
  }
  return { path, serve }
}

for (const [what, companion] of Object.entries({ log: '-wal', 'index of the log': '-shm' })) {
  test(`if the ${what} is removed under a server, nothing more is acknowledged, and SIGTERM keeps what was`, async (t) => {
    const { path, serve } = await aLedger(t)
    const first = await serve()
    assert.equal((await first.award('before')).status, 202)
    rmSync(`${path}${companion}`)
    for (const orderId of ['during', 'during it, too']) {
      const { status, body } = await first.award(orderId)
      assert.equal(status, 503)
      assert.match(body.detail, /^the database cannot be used at the moment: send the same orderId again/)
    }
    assert.equal((await fetch(`${first.server.url}/readyz`)).status, 503)
    const advice = /the log of the database was removed or replaced: stop the server with SIGTERM/
    await operatorReads(first.server, advice)
    assert.equal(await first.server.end('SIGTERM'), 0)

    const second = await serve()
    assert.equal((await second.award('before')).status, 200)
    assert.ok([200, 202].includes((await second.award('during')).status))
    assert.equal((await verifyFile(path)).sound, true)
  })
}

test('awards that were lost with the log are told at the start, also if the server is stopped at once', async (t) => {
  const { path, serve } = await aLedger(t)
  const first = await serve()
  assert.equal((await first.award('in the database')).status, 202)
  assert.equal(await first.server.end('SIGTERM'), 0)
  const second = await serve()
  assert.equal((await second.award('in the log')).status, 202)
  await eventually('the entry was followed', async () => followed(path) === 2)
  await second.server.end('SIGKILL')
  for (const companion of ['-wal', '-shm']) rmSync(`${path}${companion}`)

  const third = await serve()
  assert.equal(await third.server.end('SIGTERM'), 0)
  assert.match(third.server.log.join('\n'), /the ledger does not have the last entry that was read from it/)
})

function followed(path: string): unknown {
  const operator = new DatabaseSync(`${path}-operator`, { readOnly: true })
  try {
    return operator.prepare('SELECT position FROM read_model').get()?.position
  } finally {
    operator.close()
  }
}

test('a file that has lost its content is not taken for a new ledger while its log is there', async (t) => {
  const { path, serve } = await aLedger(t)
  const { server, award } = await serve()
  assert.equal((await award('before')).status, 202)
  await server.end('SIGKILL')
  truncateSync(path)
  await assert.rejects(serve(), /cannot use .*: the file is empty, but its log is there.*restore a backup/)
  for (const companion of ['-wal', '-shm']) rmSync(`${path}${companion}`)
  assert.equal((await (await serve()).award('before')).status, 401, 'a new ledger has no partners')
})
