import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { documentOf, runProcess } from '../support/command-line.ts'
import { integerBelow, type Random } from '../support/seeded-random.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { Disk } from './disk.ts'
import { type Answers, type Award, sendAwards, someAwards } from './send-awards.ts'
import { type Operation, readWriteLog } from './write-log.ts'

/** A run of the real service, from the first start on an empty disk, and all its operations on that disk. */
export type RecordedRun = Answers & {
  operations: Operation[]
  /** The ledger's file, as the operations name it. */
  ledger: string
}

export type RunSettings = {
  /** The disk, and the log of what was done to it, are made in here. */
  folder: string
  /** recorder.c, compiled. */
  recorder: string
  awards: number
  random: Random
  /** With NORMAL, the control, nothing is killed: there is hardly a sync at which to kill it. */
  synchronous: 'FULL' | 'NORMAL'
}

const clients = 4
const plant = new URL('../planted/plant.ts', import.meta.url).href

/**
 * `partner create` creates the ledger. A server takes awards and is killed just before awards are synced. The next one
 * gets again the awards without a response, takes the rest and is stopped in the usual way.
 */
export async function recordRun(settings: RunSettings): Promise<RecordedRun> {
  const { recorder, awards, random, synchronous } = settings
  mkdirSync(join(settings.folder, 'disk'), { recursive: true })
  const folder = realpathSync(settings.folder) // the recorder asks the kernel for the names of files
  const disk = join(folder, 'disk')
  const log = join(folder, 'writes.log')
  const ledger = join(disk, 'data', 'ledger.db') // in a folder that the service has to make
  const environment = {
    LD_PRELOAD: recorder,
    RECORD_FOLDER: disk,
    RECORD_LOG: log,
    DATABASE_URL: `sqlite:${ledger}`,
    ...(synchronous === 'NORMAL'
      ? { PLANTED_BUG: 'synchronous=NORMAL', NODE_OPTIONS: `--import ${plant}` }
      : {}),
  }
  const create = ['partner', 'create', '--json', '--id', 'acme', '--name', 'Acme', '--tenant', 't1']
  const key = documentOf(await runProcess(create, { cwd: folder, environment }))

  const answers: Answers = { orders: new Map(), duplicates: 0 }
  const left = someAwards(awards, random)
  let unanswered: Award[] = []
  if (synchronous === 'FULL') {
    const syncs = 1 + integerBelow(random, Math.max(1, awards / 2 / clients))
    const kill = { RECORD_KILL_FILE: `${ledger}-wal`, RECORD_KILL_AT_SYNC: String(syncs) }
    await withServer({ ...environment, ...kill }, async ({ url, allGone }) => {
      unanswered = await sendAwards(left, { url, key, clients }, answers)
      assert.ok(unanswered.length > 0, 'the recorder killed the server')
      await allGone
    })
    assertWhole(disk, readWriteLog(log))
  }
  await withServer(environment, async ({ url, end }) => {
    // One by one: what was written before the kill is a DUPLICATE now, and no other award is synced together with it.
    assert.deepEqual(await sendAwards(unanswered, { url, key, clients: 1 }, answers), [])
    assert.deepEqual(await sendAwards(left, { url, key, clients }, answers), [])
    assert.equal(await end('SIGTERM'), 0)
  })
  const operations = readWriteLog(log)
  assertWhole(disk, operations)
  assertAllAnswersIn(operations, answers)
  return { operations, ledger, ...answers }
}

async function withServer(
  environment: Record<string, string>,
  work: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await startServerProcess(environment)
  try {
    await work(server)
  } finally {
    await server.end('SIGKILL')
  }
}

/** A recorder that misses something proves nothing: its log must produce exactly the files that are there. */
function assertWhole(folder: string, operations: Operation[]): void {
  const disk = new Disk()
  for (const operation of operations) disk.apply(operation)
  const recorded = disk.kept()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
  assert.deepEqual([...recorded.keys()].sort(), files.sort())
  for (const [path, bytes] of recorded) assert.ok(bytes.equals(readFileSync(path)), `${path} as recorded`)
}

function assertAllAnswersIn(operations: Operation[], { orders }: Answers): void {
  const recorded = new Set<string>()
  for (const operation of operations) {
    if (operation.kind === 'answer' && operation.acknowledged !== null)
      recorded.add(operation.acknowledged.epTransactionId)
  }
  assert.deepEqual(
    [...orders.keys()].filter((epTransactionId) => !recorded.has(epTransactionId)),
    [],
    'every answer that a client got was recorded',
  )
}
