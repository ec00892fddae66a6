import { createSteadyTime } from '../clock.ts'
import type { HmacKey } from '../shortcuts/hmac-key.ts'
import { Collector, type CollectorParts, type Dropped, minutesMax } from './collector.ts'
import type { JournalBatch, JournalWriter } from './journal-batch.ts'
import { newJournalKey, openJournalKey } from './journal-key.ts'

/** What the request path sees of the journal. */
export type JournalEntry = Pick<Collector, 'saw' | 'replayed' | 'keyUsed'>

type Journal = JournalEntry & {
  measured(): JournalMeasures
  /** For operators, while it cannot be written: what they ask about would be answered as if nothing had been refused. */
  warnings(): string[]
  /** Writes what was seen so far, if the store can. */
  flush(): Promise<void>
  /** Writes what is left, if the store can. */
  close(): Promise<void>
}

export type JournalMeasures = { dropped: Dropped; failedWrites: number }

type JournalParts = CollectorParts & {
  writer: JournalWriter
  masterKey: Uint8Array
  /** The name of this process. No other process ever has it. */
  node: string
  /** Called when writing begins to fail (with the error), and when it works again. */
  onChange(failure: { error: unknown } | null, measures: JournalMeasures): void
  writeEveryMs?: number | undefined
}

/** With the write itself, and the step that SQLite's follower may be in, less than the second that a kill may lose. */
const usualWriteMs = 800
/** As long as counts are kept that were not yet taken. */
const retryMs = minutesMax * 60_000

/**
 * The journal of one process. About once a second, what was collected becomes a batch, which the store writes. One batch is
 * written at a time. One that failed is written again, with the same number, before the next one is made; what arrives
 * meanwhile is added up.
 */
export function createJournal(parts: JournalParts): Journal {
  const { writer, masterKey, clock, node, onChange, writeEveryMs = usualWriteMs } = parts
  const collector = new Collector(parts)
  const steadyTime = createSteadyTime(clock)
  const measures: JournalMeasures = { dropped: collector.dropped, failedWrites: 0 }
  let key: HmacKey | null = null
  let batches = 0
  let collectedSince = clock.now()
  let unwritten: { batch: JournalBatch; madeAt: number } | null = null
  let writing: Promise<void> | null = null
  let failing: { since: number; error: unknown } | null = null

  async function openKey(): Promise<HmacKey> {
    const ours = newJournalKey(masterKey)
    const stored = await writer.storedKey(ours)
    try {
      return openJournalKey(masterKey, stored)
    } catch {
      // Sealed by another master key, or damaged: the fingerprints made with it can never be found again.
      return openJournalKey(masterKey, await writer.storedKey(ours, { replace: true }))
    }
  }

  function nextBatch(fingerprints: HmacKey): typeof unwritten {
    const taken = collector.take(fingerprints)
    if (taken === null) return null
    const batch = { node, number: ++batches, at: steadyTime(), since: collectedSince, ...taken }
    collectedSince = clock.now()
    return { batch, madeAt: clock.elapsed() }
  }

  async function writeNext(): Promise<void> {
    try {
      key ??= await openKey()
      unwritten ??= nextBatch(key)
      if (unwritten !== null) await writer.write(unwritten.batch)
      unwritten = null
      if (failing !== null) onChange(null, measures)
      failing = null
    } catch (error) {
      measures.failedWrites++
      if (failing === null) onChange({ error }, measures)
      failing = { since: failing?.since ?? clock.now(), error }
      if (unwritten === null || clock.elapsed() - unwritten.madeAt < retryMs) return
      collector.drop(unwritten.batch)
      unwritten = null
    }
  }

  function write(): Promise<void> {
    writing ??= writeNext().finally(() => {
      writing = null
    })
    return writing
  }

  async function flush(): Promise<void> {
    await write()
    if (failing === null) await write() // the first one may have begun before the last response
  }

  async function writeRest(): Promise<void> {
    await flush()
    await writer.close()
  }

  const timer = setInterval(() => void write(), writeEveryMs)
  timer.unref()
  void write() // opens the key

  return {
    saw: (response) => collector.saw(response),
    replayed: (replay) => collector.replayed(replay),
    keyUsed: (request) => collector.keyUsed(request),
    measured: () => measures,
    warnings: () => (failing === null ? [] : [warningOf(failing)]),
    flush,
    async close() {
      clearInterval(timer)
      // Not given up here: a process whose thread waits for a hung disk can only be killed, and cli/serve.ts does that.
      await writeRest()
    },
  }
}

function warningOf({ since, error }: { since: number; error: unknown }): string {
  const from = new Date(since).toISOString()
  const reason = reasonOf(error)
  return `the journal cannot be written since ${from} (${reason}): refusals and counts since then are missing in answers and in the console. Awards go on`
}

/** With its cause: "the database failed" alone helps nobody. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
