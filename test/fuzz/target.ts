import { readFileSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import pino from 'pino'
import { openKeyDirectory } from '../../src/access/key-directory.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createPartnerListener } from '../../src/http/app.ts'
import { type DatabaseLocation, serveStore } from '../../src/stores/open.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { startServerProcess } from '../support/server-process.ts'
import { noAddressLimit } from '../support/no-address-limit.ts'

/** A service that takes bytes, with a ledger that can be inspected. */
export type Target = {
  name: 'socket' | 'handler'
  database: DatabaseLocation
  connect(): Duplex
  /** The log since the last time. */
  takeLog(): string[]
  /** Bytes that its process holds in memory. */
  residentBytes(): number
  /** Why the process is not the one that was started, or null. */
  ended(): string | null
  stop(): Promise<void>
}

export const masterKey = Buffer.alloc(32, 7)

/** Caps that only `tight` and the hot user reach, and one award at most. */
const environment = (url: string) => ({
  DATABASE_URL: url,
  MASTER_KEY: masterKey.toString('base64'),
  CAP_PER_PARTNER_DAY: '1000000000000',
  CAP_PER_USER_DAY: '1000000000000',
})

/** The service as its operator runs it: a separate process, behind real sockets. */
export async function startSocketTarget({ url }: FreshDatabase): Promise<Target> {
  const server = await startServerProcess(environment(url))
  const pid = serverPid()
  let ended: string | null = null
  void server.allGone.then((code) => {
    ended = `the server ended with ${code}`
  })
  const { hostname, port } = new URL(server.url)
  return {
    name: 'socket',
    database: readConfig(environment(url)).database,
    connect() {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true })
      return socket.on('error', () => {}) // a reset is a close: what it cut off is counted as unanswered
    },
    takeLog: () => server.log.splice(0),
    residentBytes: () => residentBytes(pid),
    ended: () => ended,
    stop: async () => void (await server.end('SIGTERM')),
  }
}

/** The same listeners in this process: bytes go in and come out, without a socket. */
export async function startHandlerTarget({ url }: FreshDatabase): Promise<Target> {
  const { database, caps, clockWindowMs } = readConfig(environment(url))
  const cleanup = new AsyncDisposableStack()
  const clock = systemClock
  const store = await serveStore(database, { caps, clock, warn: () => {} })
  cleanup.defer(() => store.close())
  const keys = await openKeyDirectory(store.partners, masterKey, () => {})
  cleanup.defer(() => keys.close())
  const { ledger } = store
  cleanup.defer(() => ledger.close())
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const listener = createPartnerListener({
    ledger,
    keys,
    clock,
    clockWindowMs,
    log,
    ready: () => ledger.ready(),
    addressLimit: noAddressLimit,
  })
  await listener.app.ready()
  cleanup.defer(() => listener.drain(0))
  return {
    name: 'handler',
    database,
    connect() {
      const [ours, theirs] = duplexPair()
      theirs.on('error', () => {})
      listener.app.server.emit('connection', theirs)
      // Without a socket, closing one end does not close the other.
      ours.once('end', () => ours.destroy()).once('close', () => theirs.destroy())
      return ours.on('error', () => {})
    },
    takeLog: () => lines.splice(0),
    residentBytes: () => process.memoryUsage.rss(),
    ended: () => null,
    stop: () => cleanup.disposeAsync(),
  }
}

/** Our one child that serves. */
function serverPid(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const served = pids.filter((pid) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))!
      return (
        Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('\0serve\0')
      )
    } catch {
      return false // it ended while we looked
    }
  })
  if (served.length !== 1) throw new Error(`${served.length} of our children serve`)
  return Number(served[0])
}

const pageBytes = 4096

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageBytes
}
