import type { Clock } from '../../clock.ts'
import { DamagedRows, Unavailable } from '../../ledger/errors.ts'
import { type GroupCommitLimits, groupCommit } from '../../ledger/group-commit.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { StoreMeasures, StoreReadings } from '../../ledger/measures.ts'
import type { Outcome } from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import { batchText, readOutcomes } from '../../shortcuts/batch-text.ts'
import { knownVerifiedAt, notLater } from '../verified-at.ts'
import { rememberFailedAwards } from '../failed-awards.ts'
import { usualLimits } from './checkpoints.ts'
import { readDayUsage } from './day-usage.ts'
import { isOfDamage } from './database.ts'
import { openHistory } from './history.ts'
import { LogCounts, newLogMemory } from './log-counts.ts'
import { createReadiness } from './readiness.ts'
import { assertSameFile, fileProblem, logFiles, logProblem, Moved, sameFile } from './file/same-file.ts'
import { startReader } from './threads/start-reader.ts'
import { startThread } from './threads/thread.ts'
import type { WriterData, WriterRequest } from './threads/writer.ts'
import { readRecord } from './verify-record.ts'

type LedgerOptions = {
  clock: Clock
  limits: Partial<GroupCommitLimits> | undefined
  /** Why it may be that another server runs on the ledger, too. */
  placeProblem(): Unavailable | null
}

/**
 * The embedded ledger: one lane, because SQLite has one writer. The writer lives in a thread of its own, as the reader does.
 * `close` ends the threads.
 */
export async function startLedger(
  path: string,
  { clock, limits, placeProblem }: LedgerOptions,
): Promise<{ ledger: Ledger; close(): Promise<void>; measured(): StoreMeasures; readings: StoreReadings }> {
  const file = sameFile(path)
  const logMemory = newLogMemory()
  const logCounts = new LogCounts(logMemory)
  const data: WriterData = { path, logMemory }
  const writer = startThread<WriterRequest, string>(new URL('./threads/writer.ts', import.meta.url), data)
  await writer.begin('probe')
  const logs = logFiles(path)
  const reader = startReader(path)
  const history = openHistory(reader, clock)
  let failed = false
  let confirmedAt = clock.elapsed()
  let moved: Moved | null = null
  const failedAwards = rememberFailedAwards(clock)

  /**
   * Whether the file is still ours is looked up while the writer is at work: nothing is acknowledged where it is not, and
   * an award that comes alone need not wait for it.
   */
  async function ask(request: WriterRequest, batch: AwardCommand[]): Promise<Outcome[]> {
    try {
      if (moved !== null) throw moved
      if (failed) assertSameFile(file)
      const answer = writer.ask(request)
      const problem = fileProblem(file) ?? logProblem(logs) ?? placeProblem()
      const outcomes = readOutcomes<Outcome>(await answer)
      if (problem !== null) throw problem
      failed = false
      confirmedAt = clock.elapsed()
      failedAwards.succeeded(outcomes)
      return outcomes
    } catch (error) {
      failed = true
      if (error instanceof Moved) moved = error
      // A full disk, a lock and a file that was moved also fail the probe. It writes to another page, and needs no index.
      if (request === 'probe' || (error instanceof Unavailable && !isOfDamage(error))) throw error
      const { message } = error as Error
      const isDamage = isOfDamage(error)
      failedAwards.failed(batch, isDamage ? message : `an unexpected error: ${message}`)
      throw isDamage ? new DamagedRows(message, { cause: error }) : error
    }
  }

  const isConfirmedWithin = (ms: number) => !failed && !writer.isBusy() && clock.elapsed() - confirmedAt < ms
  const probe = () => ask('probe', [])

  const oneLane = {
    commit: (commands: AwardCommand[]) => ask(batchText({ commands, now: clock.now() }), commands),
    laneOf: () => 'all',
    groupOf: () => 'all',
    lanesPerCommit: 1,
    commitsMax: () => 1,
    commitsAloneMax: 0,
  }
  const awards = groupCommit(oneLane, clock, limits)
  return {
    ledger: {
      award: awards.award,
      close: awards.close,
      historyPage: history.historyPage,
      ready: createReadiness(path, { isConfirmedWithin, probe, failedAwards }),
    },
    measured: () => ({
      commits: awards.measured(),
      log: logCounts.read({ limitPages: usualLimits.refuseAt }),
      pools: [],
    }),
    readings: {
      dayUsage: () => readDayUsage(reader, clock),
      clockDifferenceMs: async () => null,
      verifiedAt: async () => knownVerifiedAt((await readRecord(path)).verifiedAt, clock.now()),
      notSoundAt: async () => notLater((await readRecord(path)).notSoundAt, clock.now()),
    },
    async close() {
      await history.close()
      await reader.close()
      await writer.close()
    },
  }
}
