import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { buildPreload, canRecord, neededToRecord } from '../power-cut/recorder.ts'
import { environmentOf, makeAcmeFile } from '../support/acme-file.ts'
import { createClient } from '../support/client.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'
import { verifyFile } from '../support/sqlite-ledger.ts'

const skip = canRecord() ? false : `needs ${neededToRecord}`
const order = (orderId: string) => ({ orderId, userEmail: 'ann@example.com', amount: 1000 })

describe('on a disk that has stopped responding', { skip, concurrency: 3 }, () => {
  test('awards are 503, and SIGTERM still ends the server; what was acknowledged is there afterwards', async (t) => {
    const { server, acme, serveAgain, path } = await aServerOnAHungDisk(t)
    assert.equal((await acme.award(order('during'))).status, 503)
    assert.notEqual(await server.end('SIGTERM'), 0)
    await server.allGone
    assert.match(
      server.log.at(-1)!,
      /not stopped within 12 s, still committing the accepted awards; exiting anyway/,
    )
    const again = await serveAgain()
    assert.equal((await again.award(order('before'))).body.code, 'DUPLICATE')
    assert.ok([200, 202].includes((await again.award(order('during'))).status))
    assert.equal((await verifyFile(path)).sound, true)
  })

  test('a second signal does not wait for the disk', async (t) => {
    const { server, acme } = await aServerOnAHungDisk(t)
    const award = acme.award(order('during')).catch(() => null)
    server.signal('SIGTERM')
    // Sooner it would count as the same signal, and a busy machine may deliver two at once.
    const again = setInterval(() => server.signal('SIGTERM'), 600)
    t.after(() => clearInterval(again))
    assert.notEqual(await server.allGone, 0)
    await award
    assert.ok(!server.log.some((line) => line.includes('not stopped within')))
  })

  test('a server that has nothing to do ends, too, by SIGTERM', async (t) => {
    const { server } = await aServerOnAHungDisk(t)
    assert.notEqual(await server.end('SIGTERM'), 0)
    await server.allGone
    assert.match(server.log.at(-1)!, /not stopped within 12 s, still .*; exiting anyway/)
  })
})

async function aServerOnAHungDisk(t: TestContext) {
  const folder = temporaryFolder(t)
  const [path, hang] = [join(folder, 'ledger.db'), join(folder, 'hang')]
  const key = await makeAcmeFile(path)
  const environment = environmentOf(path)
  const library = buildPreload(new URL('./hanging-sync.c', import.meta.url), folder)
  const server = await startServerProcess({ ...environment, LD_PRELOAD: library, HANG_WHILE: hang })
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)
  assert.equal((await acme.award(order('before'))).status, 202)
  writeFileSync(hang, '')
  async function serveAgain() {
    const again = await startServerProcess(environment)
    t.after(() => again.end('SIGKILL'))
    return createClient(again.url, key, systemClock)
  }
  return { server, acme, serveAgain, path }
}
