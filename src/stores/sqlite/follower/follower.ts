import { workerData } from 'node:worker_threads'
import type { AlertCheck } from '../../../alerts/alert-checker.ts'
import type { JournalBatch } from '../../../journal/journal-batch.ts'
import type { Database } from '../database.ts'
import { openSameFile, sameFile } from '../file/same-file.ts'
import { answerQuestions } from '../threads/thread.ts'
import { prepareAlertCheck, readLedgerSeen } from './check-alerts.ts'
import type { FollowerJob } from './follower-job.ts'
import { prepareJournalKey } from './journal-key.ts'
import { OperatorFile } from './operator-file.ts'
import { readModelJob } from './read-model-job.ts'
import { prepareRetention } from './retention.ts'
import { prepareWriteBatch } from './write-batch.ts'

/**
 * The follower's thread owns the file beside the ledger. The main thread sends it a batch of the journal about once a
 * second; in between it does its jobs, in short steps. It never writes to the ledger, and nothing waits for it.
 */
export type FollowerData = {
  /** The path of the ledger. */
  path: string
  /** Single refusals, and replays by order, are kept this long. */
  refusalDays: number
}

export type FollowerRequest =
  | { kind: 'key'; ours: Uint8Array; replace: boolean }
  | { kind: 'write'; batch: JournalBatch }
  | { kind: 'alerts'; now: number }

/** `sealedKey`: in base64, for a `key` request. `alerts`: for an `alerts` request. `warnings` are for the log. */
export type FollowerAnswer = { sealedKey: string; alerts: AlertCheck | null; warnings: string[] }

const { path, refusalDays } = workerData as FollowerData
const warnings: string[] = []
const warningsMax = 20
let sealedKey: Uint8Array | null = null
let now: number | null = null
let ledger: Database | null = null
let nextStep: NodeJS.Immediate | null = null

function warn(message: string): void {
  if (warnings.length < warningsMax && !warnings.includes(message)) warnings.push(message)
}

const ledgerFile = sameFile(path)

function openLedger(): Database {
  const opened = ledger ?? openSameFile(ledgerFile, { readOnly: true })
  ledger = opened
  return opened
}

/** For a file that was just opened, or just begun. */
function prepare(database: Database) {
  const key = prepareJournalKey(database)
  // A file that begins again goes on with the same key.
  if (sealedKey !== null) key.putIfAbsent(sealedKey)
  const jobs: FollowerJob[] = [
    prepareRetention(database, { refusalDays }),
    readModelJob(database, openLedger, warn),
  ]
  return {
    key,
    jobs,
    write: prepareWriteBatch(database, { keepsReplays: refusalDays > 0 }),
    checkAlerts: prepareAlertCheck(database),
  }
}

const file = new OperatorFile(path, { prepare, warn })

answerQuestions<FollowerRequest, string>(
  (request) => {
    let alerts: AlertCheck | null = null
    file.use(({ key, write, checkAlerts }) => {
      if (request.kind === 'write') write(request.batch)
      else if (request.kind === 'alerts')
        alerts = checkAlerts(request.now, (accounts) => readLedgerSeen(openLedger(), request.now, accounts))
      else sealedKey = request.replace ? key.replace(request.ours) : key.putIfAbsent(request.ours)
    })
    if (request.kind === 'write') now = request.batch.at
    scheduleStep()
    const answer: FollowerAnswer = {
      sealedKey: Buffer.from(sealedKey ?? []).toString('base64'),
      alerts,
      warnings: warnings.splice(0),
    }
    return JSON.stringify(answer)
  },
  {
    close() {
      if (nextStep !== null) clearImmediate(nextStep)
      file.close()
      ledger?.close()
    },
  },
)

/** Requests that arrive meanwhile are answered between two steps. */
function scheduleStep(): void {
  nextStep ??= setImmediate(() => {
    nextStep = null
    try {
      if (file.use(({ jobs }) => jobs.map((job) => job.step(now)).includes(true))) scheduleStep()
    } catch (error) {
      warn(`the file beside ${path} could not be maintained: ${(error as Error).message}`)
    }
  })
}
