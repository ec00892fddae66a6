import { workerData } from 'node:worker_threads'
import type { Database } from '../database.ts'
import { openSameFile, type SameFile } from '../file/same-file.ts'
import { answerQuestions } from './thread.ts'

/**
 * The checkpointer's thread: when asked, it copies what the log has into the database, up to what the oldest reader
 * sees. It waits for no reader, and no commit waits for it.
 */
const file = workerData as SameFile
let database: Database | null = null

/** Each pass leaves less behind, because fewer commits happen during it. When nothing is left, the writer restarts the log. */
const passesMax = 4

answerQuestions<'copy', null>(
  () => {
    database ??= openSameFile(file)
    let copied = -1
    for (let pass = 0; pass < passesMax; pass++) {
      const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()!
      if (checkpointed === log || checkpointed === copied) break
      copied = checkpointed as number
    }
    return null
  },
  { close: () => database?.close() },
)
