import { workerData } from 'node:worker_threads'
import type { Database } from '../database.ts'
import { openSameFile, type SameFile } from '../file/same-file.ts'
import { answerQuestions } from './thread.ts'

/**
 * The checkpointer's thread: when asked, it copies what the log has into the database, up to what the oldest reader
 * sees. It waits for nobody, and nobody waits for it.
 */
const file = workerData as SameFile
let database: Database | null = null

/** What is committed while it copies is less with each pass. With nothing left, the writer starts the log over. */
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
