import { Worker } from 'node:worker_threads'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../ledger/faults.ts'
import type { LedgerStore } from '../../ledger/ledger-store.ts'
import type { Caps } from '../../rules/caps.ts'
import type { Outcome } from '../../rules/decide-batch.ts'
import type { HistoryEntry } from '../../rules/history-page.ts'
import { columns } from '../columns.ts'
import { batchText, readOutcomes } from './batch-text.ts'
import { asFault, type Database } from './database.ts'
import type { WriterData, WriterReply, WriterRequest } from './writer.ts'

/** The embedded ledger: one lane, because SQLite has one writer; it lives in a thread of its own. */
export async function startLedger(
  path: string,
  { reader, defaultCaps, clock }: { reader: Database; defaultCaps: Caps; clock: Clock },
): Promise<LedgerStore> {
  const writer = await startWriter({ path, defaultCaps })
  const awardsBefore = prepareHistory(reader)
  let failed = false
  let probing: Promise<unknown> | null = null

  async function ask(request: WriterRequest): Promise<Outcome[]> {
    try {
      const outcomes = await writer.ask(request)
      failed = false
      return outcomes
    } catch (error) {
      failed = true
      throw error
    }
  }

  /** After a failure the disk has to show that it takes a write again; while it is busy, that it still answers. */
  async function ready(): Promise<string[]> {
    if (!failed && !writer.isBusy()) return []
    probing ??= ask('probe').finally(() => {
      probing = null
    })
    await probing
    return []
  }

  return {
    laneOf: () => 'all',
    lanesPerCommit: 1,
    commitsMax: 1,
    commitsAloneMax: 0,
    commit: (commands) => ask({ batch: batchText({ commands, now: clock.now() }) }),
    awardsBefore: async (query) => awardsBefore(query),
    ready,
    close: () => writer.close(),
  }
}

type Writer = { ask(request: WriterRequest): Promise<Outcome[]>; isBusy(): boolean; close(): Promise<void> }

/** Requests and replies go in pairs, in order. A thread that ends unasked is a bug: it takes the process with it. */
async function startWriter(workerData: WriterData): Promise<Writer> {
  const thread = new Worker(new URL('./writer.ts', import.meta.url), { workerData })
  const pending: { resolve(outcomes: Outcome[]): void; reject(error: unknown): void }[] = []
  thread.on('message', (reply: WriterReply) => {
    const waiting = pending.shift()!
    if ('outcomes' in reply) waiting.resolve(readOutcomes(reply.outcomes))
    else waiting.reject('fault' in reply ? new Unavailable(reply.fault) : reply.bug)
  })

  function ask(request: WriterRequest): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      pending.push({ resolve, reject })
      thread.postMessage(request)
    })
  }

  function close(): Promise<void> {
    return new Promise((resolve) => {
      thread.once('exit', () => resolve())
      thread.postMessage('close' satisfies WriterRequest)
    })
  }

  const failed = new Promise<never>((_, reject) => thread.once('error', reject))
  try {
    await Promise.race([ask('probe'), failed])
  } catch (error) {
    await thread.terminate()
    throw error
  }
  thread.removeAllListeners('error')
  return { ask, isBusy: () => pending.length > 0, close }
}

type HistoryQuery = Parameters<LedgerStore['awardsBefore']>[0]

type HistoryRow = [number, string, string, string, number, string | null, number]

function prepareHistory(reader: Database): (query: HistoryQuery) => HistoryEntry[] {
  const select = reader.prepare(`
    SELECT ${columns<HistoryEntry>('seq', 'epTransactionId', 'orderId', 'userEmail', 'points', 'note', 'awardedAt')}
    FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`)
  // SQLite hands over a row faster as an array, and an object made here is faster to read.
  select.setReturnArrays(true)
  return ({ partnerId, tenantId, beforeSeq, limit }) => {
    try {
      const rows = select.all(partnerId, tenantId, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit)
      return (rows as unknown as HistoryRow[]).map(
        ([seq, epTransactionId, orderId, userEmail, points, note, awardedAt]) => ({
          seq,
          epTransactionId,
          orderId,
          userEmail,
          points,
          note,
          awardedAt,
        }),
      )
    } catch (error) {
      throw asFault(error)
    }
  }
}
