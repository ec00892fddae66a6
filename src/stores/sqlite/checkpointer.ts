import { workerData } from 'node:worker_threads'
import type { Database } from './database.ts'
import { openSameFile, type SameFile } from './same-file.ts'
import { answerQuestions } from './thread.ts'

/**
 * The checkpointer's thread: whenever it is asked, it looks whether the log has become long, and copies what has been
 * committed into the database. It waits for nobody, and nobody waits for it.
 */
const file = workerData as SameFile
let database: Database | null = null

/**
 * 96 MB. A page that is written again and again is copied once: with fewer there is more to copy, with more the disk is
 * kept longer at a time, and commits wait for it.
 */
const longLogPages = 24_000
/** What is committed while it copies is less with each pass. With nothing left, the writer begins the log anew. */
const passesMax = 4

answerQuestions<'checkpoint', null>(
  () => {
    database ??= openSameFile(file)
    let left = checkpoint(database, 'NOOP')
    if (left < longLogPages) return null
    for (let pass = 0; left > 0 && pass < passesMax; pass++) left = checkpoint(database, 'PASSIVE')
    return null
  },
  { close: () => database?.close() },
)

/** Gives how many pages of the log are not in the database. */
function checkpoint(database: Database, mode: 'NOOP' | 'PASSIVE'): number {
  const { log, checkpointed } = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()!
  return (log as number) - (checkpointed as number)
}
