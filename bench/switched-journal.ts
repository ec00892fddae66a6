import { openKeyDirectory } from '../src/access/key-directory.ts'
import { systemClock as clock } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import { createPartnerListener } from '../src/http/app.ts'
import { createJournal, type JournalEntry } from '../src/journal/journal.ts'
import { createLog } from '../src/log.ts'
import { serveStore } from '../src/stores/open.ts'
import { shareReadiness } from '../src/wire/readiness.ts'
import { noAddressLimit } from '../test/support/no-address-limit.ts'
import type { Report } from '../test/support/long-run.ts'
import type { BenchRun } from './bench-run.ts'
import type { Deployment } from './deployment.ts'
import { median } from './median.ts'

const partMs = 25
const writeEveryMs = 800

/** What happened while the switch stayed as it was. */
type Part = { on: boolean; awards: number; cpuUs: number }

/** A server whose journal is switched on and off while it is measured. */
export async function startSwitched(deployment: Deployment, bench: BenchRun, ends: AsyncDisposableStack) {
  const { database, caps } = readConfig(deployment.environment)
  const store = await serveStore(database, { caps, clock, warn: () => {} })
  ends.defer(() => store.close())
  const masterKey = Buffer.from(deployment.environment.MASTER_KEY!, 'base64')
  const keys = await openKeyDirectory(store.partners, masterKey, () => {})
  ends.defer(() => keys.close())
  const journal = createJournal({
    writer: store.openJournal({ refusalDays: 30, warn: () => {} }),
    masterKey,
    clock,
    node: 'bench',
    writeEveryMs: 2 ** 31 - 1, // by `write` below
    keepsRefusals: true,
    tenantExists: keys.hasTenant,
    onChange: (failure) => failure !== null && bench.violations.push(`the journal: ${failure.error}`),
  })
  ends.defer(() => journal.close())
  await journal.flush() // its key is open from now on

  let on = true
  let awards = 0
  const entry: JournalEntry = {
    saw(response) {
      awards++
      if (on) journal.saw(response)
    },
    replayed: (replay) => on && journal.replayed(replay),
    keyUsed: (request) => on && journal.keyUsed(request),
  }
  const { ledger } = store
  ends.defer(() => ledger.close())
  const ready = shareReadiness(() => ledger.ready(), clock)
  const log = createLog('silent')
  const listener = createPartnerListener({
    ledger,
    keys,
    clock,
    journal: entry,
    clockWindowMs: 300_000,
    log,
    ready,
    addressLimit: noAddressLimit,
  })
  const url = await listener.listen({ host: '127.0.0.1', port: 0 })
  const end = () => listener.drain()
  ends.defer(end)

  let parts: Part[] = []
  let writes: { cpuUs: number }[] = []

  /** Everything of a write that runs on this thread: taking the counts, and handing them to the follower. */
  function write(): void {
    const startUs = cpuUs()
    void journal.flush()
    writes.push({ cpuUs: cpuUs() - startUs })
  }

  async function measured(load: () => Promise<unknown>): Promise<void> {
    let [awardsBefore, cpuBefore, writesBefore] = [awards, cpuUs(), writes.length]
    const switching = setInterval(() => {
      const ofWrites = writes.slice(writesBefore).reduce((sum, { cpuUs }) => sum + cpuUs, 0)
      parts.push({ on, awards: awards - awardsBefore, cpuUs: cpuUs() - cpuBefore - ofWrites })
      ;[awardsBefore, cpuBefore, writesBefore] = [awards, cpuUs(), writes.length]
      on = !on
    }, partMs)
    const writing = setInterval(write, writeEveryMs)
    await load()
    clearInterval(switching)
    clearInterval(writing)
    await journal.flush()
  }

  function figures(load: string): Report['figures'] {
    const told = parts.filter((part) => part.on).reduce((sum, part) => sum + part.awards, 0)
    const writing = writes.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / told
    const found = { ...difference(load, parts), [`${load}, writing, µs`]: writing.toFixed(2) }
    parts = []
    writes = []
    return found
  }

  return { child: { pid: process.pid, url, end }, measured, figures }
}

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Medians: a machine that stands still for a moment spoils a part, and would move a mean. */
function difference(load: string, parts: Part[]): Report['figures'] {
  const perAward = ({ cpuUs, awards }: Part) => cpuUs / awards
  const pairs = parts
    .slice(1)
    .map((part, before) => [parts[before]!, part] as const)
    .filter((pair) => pair.every(({ awards }) => awards > 0))
    .map(
      ([first, second]) => (second.on ? [first, second] : [second, first]).map(perAward) as [number, number],
    )
  const more = pairs.map(([off, on]) => on - off)
  const center = median(more)
  const deviation = median(more.map((value) => Math.abs(value - center)))
  // Of a median of normal values, from their median deviation; neighbors share a part, so half of them count.
  const error = (1.253 * 1.483 * deviation) / Math.sqrt(more.length / 2)
  return {
    [`${load}, pairs`]: more.length,
    [`${load}, an award with the journal off, µs`]: median(pairs.map(([off]) => off)).toFixed(1),
    [`${load}, more with it on, µs`]: `${center.toFixed(2)} ± ${error.toFixed(2)}`,
  }
}
