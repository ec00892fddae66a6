import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../ledger/faults.ts'
import type { Caps } from '../../rules/caps.ts'
import { outcomesText, readBatch } from './batch-text.ts'
import { createCheckpoints } from './checkpoints.ts'
import { prepareCommit } from './commit.ts'
import { asFault, openDatabase } from './database.ts'

/**
 * The writer's thread: an fsync here never stops the event loop of the doors. It does one thing at a time, in the
 * order of the messages.
 */
export type WriterData = { path: string; defaultCaps: Caps }
export type WriterRequest = { batch: string } | 'probe' | 'close'
/** `fault` is a failure of the world, `bug` one of ours; either way nothing was acknowledged. */
export type WriterReply = { outcomes: string } | { fault: string } | { bug: unknown }

/** 32 MB. A killed server's log is read at the next start, which takes the longer, the longer it is. */
const logPagesMax = 8000

const port = parentPort!
const { path, defaultCaps } = workerData as WriterData
const database = openDatabase(path)
// What a killed server wrote but had not yet synced is readable now, and would be called DUPLICATE. The probe that
// comes before the first award makes it durable: its sync covers the whole log.
database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
database.exec(`PRAGMA wal_autocheckpoint = ${logPagesMax}`)
const file = fileIdentity()
const commit = prepareCommit(database, defaultCaps)
const checkpoints = createCheckpoints(path)

port.on('message', async (request: WriterRequest) => {
  if (request === 'close') {
    await checkpoints.close()
    database.close()
    port.close()
    return
  }
  port.postMessage(reply(request))
})

function reply(request: Exclude<WriterRequest, 'close'>): WriterReply {
  try {
    if (fileIdentity() !== file)
      throw new Unavailable('the database file was moved or replaced: restart the server')
    if (request === 'probe') return probe()
    const { commands, now } = readBatch(request.batch)
    const outcomes = commit(commands, now)
    checkpoints.committed(commands.length)
    return { outcomes: outcomesText(outcomes) }
  } catch (error) {
    const fault = asFault(error)
    return fault instanceof Unavailable ? { fault: fault.message } : { bug: error }
  }
}

/** A real write, synced like any other: can this disk make a batch durable? */
function probe(): WriterReply {
  database.exec('INSERT OR REPLACE INTO probe (only_row, ballast) VALUES (1, randomblob(65536))')
  return { outcomes: outcomesText([]) }
}

/** An award written to a file that nobody will open again would be lost without a trace. */
function fileIdentity(): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${dev} ${ino}`
}
