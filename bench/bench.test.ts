import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { seedOf } from '../test/support/seeded-random.ts'
import { temporaryFolder } from '../test/support/service.ts'
import { audit } from './audit.ts'
import { createAwarding } from './awarding.ts'
import { type BenchRun, startBenchRun } from './bench-run.ts'
import { awardAnswer, startCeiling } from './ceiling.ts'
import { type Deployment, serveDeployment, sqliteDeployment } from './deployment.ts'
import { readOptions } from './options.ts'
import { awardOnSqlite } from './parts/award-sqlite.ts'
import { report } from './report.ts'

/** Tests the harness itself in a few seconds: no time is asserted here. */
async function aBench(test: TestContext): Promise<BenchRun> {
  const options = readOptions(['--quick', '--seed', String(seedOf(test))])!
  const bench = await startBenchRun({ ...options, seconds: 0.2, silent: true }, temporaryFolder(test))
  test.after(() => bench.close())
  return bench
}

/** On a machine that stands still for longer than an award waits, its 503 is no violation of ours: measured again. */
async function measured<T>(test: TestContext, part: (bench: BenchRun) => Promise<T>) {
  for (let attempt = 1; ; attempt++) {
    const bench = await aBench(test)
    const figures = await part(bench)
    const stoodStill = bench.violations.some((violation) => violation.includes('within the deadline'))
    if (!stoodStill || attempt === 5) return { bench, figures }
  }
}

test('a part measures, checks every response and audits the ledger', async (t) => {
  const { bench, figures } = await measured(t, awardOnSqlite)
  assert.deepEqual(bench.violations, [])
  assert.deepEqual(Object.keys(figures), ['awardOverCeiling', 'spreadOverHot', 'replayOverFresh'])
  const names = ['bare route', 'SQLite, hot', 'SQLite, hot, replays', 'SQLite, spread']
  assert.deepEqual([...bench.runs.keys()], names)
  // Of responses, not of a rate: on a busy machine there may be none within such a short run.
  for (const [name, runs] of bench.runs) assert.ok(runs[0]!.answered > 0, name)

  const { json, text } = report(bench, figures)
  assert.deepEqual(Object.keys(JSON.parse(json).figures), Object.keys(figures))
  assert.match(text, /replays ÷ fresh awards/)
})

test('the audit notices an award that was acknowledged and is lost', async (t) => {
  const bench = await aBench(t)
  const deployment = await sqliteDeployment(join(bench.folder, 'audit'), 1)
  await credit(bench, deployment)
  assert.ok(deployment.acknowledged > 0)
  assert.deepEqual(await audit(deployment), [])

  const told = { ...deployment, acknowledged: deployment.acknowledged + 1 }
  assert.match((await audit(told)).join(), /new entries where \d+ were acknowledged/)

  const file = new DatabaseSync(join(bench.folder, 'audit', 'ledger.db'))
  file.exec('DROP TRIGGER entries_are_never_deleted')
  file.exec('DELETE FROM entries WHERE rowid = (SELECT max(rowid) FROM entries)')
  file.close()
  assert.match((await audit(deployment)).join(), /not sound/)
})

test('one wrong byte in a response fails the run', async (t) => {
  const bench = await aBench(t)
  const server = await startCeiling({ ...awardAnswer, body: awardAnswer.body.replace('250', '251') })
  t.after(() => server.end())
  const partners = [{ partnerId: 'acme', tenants: ['t1'], apiKey: 'key', signingSecret: 'secret' }]
  const awarding = createAwarding(bench, 'wrong', { server, partners, onCredited: () => {} })
  await awarding.prepareExactly(10)
  const how = { shelf: awarding.shelf, connections: 2, seconds: 0.1, perSecond: null, again: true }
  await bench.measure('bytes', server, { ...how, expected: { kind: 'exactly', ...awardAnswer } })
  assert.match(bench.violations.join('\n'), /bytes: not exactly: 202 .*251/)

  const { wrong, answered } = await awarding.fresh({ seconds: 0.1, connections: 2 })
  assert.equal(wrong, answered, "another order's id is not credited")
  assert.match(bench.violations.join('\n'), /wrong: not credited/)
})

test('in an open loop a request that has to wait is measured from when it was due', async (t) => {
  const bench = await aBench(t)
  const stallMs = 500
  const stalling = createServer((socket) => {
    let stalled = false
    socket.on('data', () => {
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'), stalled ? 0 : stallMs)
      stalled = true
    })
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  stalling.listen(0, '127.0.0.1', resolve)
  await listening
  t.after(() => stalling.close())
  const { port } = stalling.address() as { port: number }
  const partner = { partnerId: 'acme', tenants: ['t1'], apiKey: 'key', signingSecret: 'secret' }
  const page = { kind: 'history', partner, tenantId: 't1', cursor: '', limit: 1 } as const
  await bench.generator.fill({ shelf: 'page', ...page })
  const { p50Ms, answered } = await bench.generator.run({
    url: `http://127.0.0.1:${port}`,
    shelf: 'page',
    expected: { kind: 'exactly', status: 200, body: '{}' },
    connections: 1,
    seconds: 0.4,
    perSecond: 100,
    again: true,
  })
  // All were due within 400 ms of a stall of 500: a generator that waits with its server would see one of them slow.
  assert.equal(answered, 40)
  assert.ok(p50Ms > 100, `p50 ${p50Ms} ms`)
})

test('a usage error ends with 2, a missed floor is reported', async (t) => {
  const bench = new URL('./bench.ts', import.meta.url).pathname
  const { status, stderr } = spawnSync(process.execPath, [bench, 'awards'], { encoding: 'utf8' })
  assert.equal(status, 2)
  assert.match(stderr, /there is no part "awards"/)
  assert.throws(() => readOptions(['--seconds', 'x']), /--seconds must be a whole number/)
  assert.equal(readOptions(['--help']), null)

  const { floorsMissed, text } = report(await aBench(t), {
    growth: 0.79,
    latencyAlone: 0.51,
    verify: 500_000,
  })
  assert.deepEqual(floorsMissed, ['growth', 'latencyAlone'])
  assert.match(text, /0\.79 +≥ 0\.8 +≥ 0\.95 +NO/)
})

async function credit(bench: BenchRun, deployment: Deployment): Promise<void> {
  const server = await serveDeployment(deployment, join(bench.folder, 'log'))
  const onCredited = (count: number) => {
    deployment.acknowledged += count
  }
  const awarding = createAwarding(bench, 'audited', { server, partners: deployment.hot, onCredited })
  await awarding.prepareExactly(100)
  await awarding.fresh({ seconds: 5 })
  await server.end()
}
