import { workerData } from 'node:worker_threads'
import { Unavailable } from '../../../ledger/errors.ts'
import type { Outcome } from '../../../rules/decide-batch.ts'
import type { AwardCommand } from '../../../rules/entry.ts'
import { outcomesText, readBatch } from '../../../shortcuts/batch-text.ts'
import { createCheckpoints } from '../checkpoints.ts'
import { prepareCommit } from '../commit.ts'
import { asUnavailable, openDatabase } from '../database.ts'
import { sameFile } from '../file/same-file.ts'
import { LogCounts, type LogMemory } from '../log-counts.ts'
import { answerQuestions } from './thread.ts'

export type WriterData = { path: string; logMemory: LogMemory }
/** The text of a batch, or `probe`. */
export type WriterRequest = string

/**
 * The writer's thread: an fsync here never blocks the event loop of the main thread. It does one thing at a time, in the
 * order of the messages.
 */
const { path, logMemory } = workerData as WriterData
const database = openDatabase(path)
// The first message is a probe. What a killed server wrote but had not yet synced is readable now, and would be called
// DUPLICATE. The probe makes it durable before the first award: its sync covers the whole log.
const commit = prepareCommit(database)
const checkpoints = createCheckpoints(database, sameFile(path), { counts: new LogCounts(logMemory) })

/** After a failed write the checkpoints are told of no commit: then they look for room in the log before the next one. */
let hasCommitted = false

/** Returns the outcomes. After an error nothing was acknowledged. */
answerQuestions<WriterRequest, string>(
  (request) => {
    checkpoints.writing()
    const outcomes = request === 'probe' ? probe() : commitText(request)
    hasCommitted = true
    return outcomesText(outcomes)
  },
  {
    replied() {
      if (hasCommitted) lookAtLog()
      hasCommitted = false
    },
    async close() {
      await checkpoints.close()
      database.close()
    },
  },
)

function commitText(text: string): Outcome[] {
  const { commands, now } = readBatch<AwardCommand>(text)
  return commit(commands, now)
}

/** A real write, synced like any other: can this disk make a batch durable? */
function probe(): Outcome[] {
  database.exec('INSERT OR REPLACE INTO probe (only_row, ballast) VALUES (1, randomblob(65536))')
  return []
}

/** The batch is durable, and its awards are being answered. If the disk fails now, the next batch tells. */
function lookAtLog(): void {
  try {
    checkpoints.committed()
  } catch (error) {
    if (!(asUnavailable(error) instanceof Unavailable)) throw error
  }
}
