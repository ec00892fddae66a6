import { workerData } from 'node:worker_threads'
import type { Database } from './database.ts'
import { openSameFile, type SameFile } from './same-file.ts'
import { answerQuestions } from './thread.ts'

/** The checkpointer's thread: whenever it is asked, it copies what has been committed from the log into the database. */
const file = workerData as SameFile
let database: Database | null = null

answerQuestions<'checkpoint', null>(
  () => {
    database ??= openSameFile(file)
    database.exec('PRAGMA wal_checkpoint(PASSIVE)') // it waits for nobody, and nobody waits for it
    return null
  },
  { close: () => database?.close() },
)
