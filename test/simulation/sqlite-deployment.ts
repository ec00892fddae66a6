import { syncBuiltinESMExports } from 'node:module'
import workerThreads from 'node:worker_threads'
import { serveStore } from '../../src/stores/open.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { openRaw } from '../support/raw-database.ts'
import { createTestClock } from '../support/test-clock.ts'
import type { FaultyWriterData } from './faulty-writer.ts'
import { defaultCaps, type Faults, type Deployment, type Node } from './deployment.ts'
import { armed, breakSqlite, fired, skips, sqlitePoints } from './sqlite-faults.ts'

/** One node on a file of its own. */
export async function openSqliteDeployment({ fsync }: { fsync: boolean }): Promise<Deployment> {
  breakThreads(fsync)
  const fresh = await freshDatabase('sqlite')
  const database = { kind: 'sqlite' as const, path: fresh.url.slice('sqlite:'.length) }
  const clock = createTestClock()

  async function openNode(): Promise<Node> {
    let thread: FaultyThread | null = null
    // No need to wait for what a dead writer has left: its deadlines have passed.
    const elapsed = () => (thread?.isDead ? Number.MAX_SAFE_INTEGER : 0)
    const store = await serveStore(database, {
      caps: defaultCaps,
      clock: { ...clock, elapsed },
      warn: () => {},
    })
    thread = newestWriter!
    return { store, dead: thread.dead.then(() => null) }
  }
  const deployment: Deployment = {
    clock,
    nodes: [await openNode()],
    raw: await openRaw(database),
    faults,
    mayBeAway: false,
    async crash() {
      await newestWriter!.terminate()
    },
    async reopen() {
      if (!newestWriter!.isDead) return
      await deployment.nodes[0]!.store.close()
      deployment.nodes[0] = await openNode()
    },
    async close() {
      await deployment.raw.close()
      await deployment.nodes[0]!.store.close()
      await fresh.remove()
    },
  }
  return deployment
}

const state = new Int32Array(new SharedArrayBuffer(12))
let lastArmed: string | null = null

const faults: Faults = {
  arm(point, passings) {
    lastArmed = sqlitePoints[point]!.name
    state[fired] = 0
    state[skips] = passings
    state[armed] = point + 1
  },
  disarm() {
    state[armed] = 0
    const happened = state[fired] === 1 ? lastArmed : null
    state[fired] = 0
    return happened
  },
}

type FaultyThread = workerThreads.Worker & { dead: Promise<void>; isDead: boolean }
let newestWriter: FaultyThread | undefined
let broken = false

/** From now on the store's threads start with a SQLite that can be made to fail, and so does this thread. */
function breakThreads(fsync: boolean): void {
  if (broken) return
  broken = true
  breakSqlite(state, { fsync })
  const { Worker } = workerThreads
  workerThreads.Worker = class extends Worker implements FaultyThread {
    isDead = false
    readonly dead: Promise<void>
    constructor(url: URL, options: workerThreads.WorkerOptions) {
      const data: FaultyWriterData = { faults: state, fsync, writer: url.href }
      const workerData = { ...(options.workerData as object), ...data }
      super(new URL('./faulty-writer.ts', import.meta.url), { ...options, workerData })
      this.dead = new Promise((resolve) => this.once('exit', resolve))
      this.once('exit', () => {
        this.isDead = true
      })
      if (url.href.endsWith('/writer.ts')) newestWriter = this
    }
    /** Closing a store whose thread has died waits for its exit, so the event is sent again. */
    override postMessage(message: unknown): void {
      if (this.isDead) process.nextTick(() => this.emit('exit', 1))
      else super.postMessage(message)
    }
  }
  syncBuiltinESMExports()
}
