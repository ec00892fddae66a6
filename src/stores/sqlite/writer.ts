import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '../../ledger/faults.ts'
import type { Caps } from '../../rules/caps.ts'
import type { Outcome } from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import { prepareCommit } from './commit.ts'
import { asFault, openDatabase } from './database.ts'

/**
 * The writer's thread: an fsync here never stops the event loop of the doors. It does one thing at a time, in the
 * order of the messages.
 */
export type WriterData = { path: string; defaultCaps: Caps }
export type WriterRequest = { commands: AwardCommand[]; now: number } | 'probe' | 'close'
/** `fault` is a failure of the world, `bug` one of ours; either way nothing was acknowledged. */
export type WriterReply = { outcomes: Outcome[] } | { fault: string } | { bug: unknown }

const port = parentPort!
const { path, defaultCaps } = workerData as WriterData
const database = openDatabase(path)
// What a killed server wrote but had not yet synced is readable now. Make it durable before anyone is told DUPLICATE.
database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
const commit = prepareCommit(database, defaultCaps)

port.on('message', (request: WriterRequest) => {
  if (request === 'close') {
    database.close()
    port.close()
    return
  }
  port.postMessage(reply(request))
})

function reply(request: Exclude<WriterRequest, 'close'>): WriterReply {
  try {
    if (request === 'probe') return probe()
    return { outcomes: commit(request.commands, request.now) }
  } catch (error) {
    const fault = asFault(error)
    return fault instanceof Unavailable ? { fault: fault.message } : { bug: error }
  }
}

/** A write that changes nothing, synced like any other: can this disk make something durable? */
function probe(): WriterReply {
  database.exec('UPDATE settings_version SET version = version')
  return { outcomes: [] }
}
