import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'

/** The checkpointer's thread: whenever it is asked, it copies what has been committed from the log into the database. */
export type CheckpointerData = { path: string }
export type CheckpointerRequest = 'checkpoint' | 'close'

const port = parentPort!
const { path } = workerData as CheckpointerData
const database = openDatabase(path)
// Passive: it waits for nobody, and nobody waits for it.
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

port.on('message', (request: CheckpointerRequest) => {
  if (request === 'close') {
    database.close()
    port.close()
    return
  }
  checkpoint.get()
  port.postMessage('done')
})
