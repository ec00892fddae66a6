import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { systemClock } from '../../../clock.ts'
import type { Extent } from '../../../proof/verification.ts'
import { verifyInSteps } from '../../../proof/verify-steps.ts'
import { beginVerifyRecord, isDamage, openReading } from '../../../stores/open.ts'
import { takeSystemLock } from '../../../stores/sqlite/file/system-lock.ts'
import {
  abandoned,
  identityOf,
  lockFileOf,
  readRecord,
  recordFileOf,
  type RunningVerification,
  type VerificationOrder,
  type VerificationRun,
  writeRecord,
} from './record.ts'

const writeEveryMs = 500

/**
 * The program of the process that verifies a ledger for the API: at low priority, and only one on a machine. The order is
 * the first line of standard input. It writes "started" or "busy" to standard output, and everything else to the record.
 */
async function main(): Promise<void> {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const order = await readOrder()
  const file = recordFileOf(order.database)
  const lock = takeSystemLock(lockFileOf(order.database))
  if (lock === null) {
    process.stdout.write('busy\n')
    return
  }
  try {
    await verify(order, file)
  } finally {
    lock.release()
  }
}

/** Whoever started this keeps its side open. If that process ends, this one does, too. */
function readOrder(): Promise<VerificationOrder> {
  const lines = createInterface({ input: process.stdin })
  lines.on('close', () => process.exit(1))
  return new Promise((resolve) => lines.once('line', (line) => resolve(JSON.parse(line))))
}

async function verify({ database, startedAt, startedBy }: VerificationOrder, file: string): Promise<void> {
  const record = await readRecord(file)
  const earlier = record.current === null ? record.earlier : [abandoned(record.current), ...record.earlier]
  const start = systemClock.elapsed()
  const run: VerificationRun = {
    startedAt,
    startedBy,
    endedAt: null,
    state: 'running',
    entries: 0,
    accounts: 0,
    userDays: 0,
    problem: null,
  }
  let step = { step: 'opening the ledger', done: 0, since: start }
  const current = (): RunningVerification => {
    const { since, ...shown } = step
    return {
      ...run,
      ...shown,
      process: identityOf(process.pid)!,
      stepSeconds: (systemClock.elapsed() - since) / 1_000,
    }
  }
  await writeRecord(file, { current: current(), earlier })
  process.stdout.write('started\n')

  // One write after the other; progress that comes meanwhile is written by the next.
  let writtenAt = start
  let writing = Promise.resolve()
  function show(label: string, done: number): void {
    step = { step: label, done, since: step.step === label ? step.since : systemClock.elapsed() }
    if (systemClock.elapsed() - writtenAt < writeEveryMs) return
    writtenAt = systemClock.elapsed()
    writing = writing.then(() => writeRecord(file, { current: current(), earlier })).catch(() => {})
  }
  const recordResult = await beginVerifyRecord(database)
  const { extent, ...result } = await proved(() => openReading(database), show)
  await writing
  const endedAt = startedAt + Math.round(systemClock.elapsed() - start)
  const { state } = result
  // Each without the other: the list of runs may be on a full disk, and the role may only read.
  await Promise.allSettled([
    state === 'failed' ? null : recordResult({ sound: state === 'sound', extent }, endedAt),
    writeRecord(file, { current: null, earlier: [{ ...run, ...result, endedAt }, ...earlier] }),
  ])
}

type Result = Pick<VerificationRun, 'state' | 'entries' | 'accounts' | 'userDays' | 'problem'> & {
  extent: Extent
}

async function proved(
  open: () => ReturnType<typeof openReading>,
  show: (label: string, done: number) => void,
): Promise<Result> {
  try {
    const ledger = await open()
    try {
      const progressOf = (label: string) => (done: number) => show(label, done)
      const { verification, extent } = await verifyInSteps(ledger, { progressOf, allSteps: true })
      const { sound, fault, ...counts } = verification
      return { ...counts, state: sound ? 'sound' : 'not sound', problem: fault, extent }
    } finally {
      await ledger.close()
    }
  } catch (error) {
    const problem = (error as Error).message
    const state = isDamage(error) ? 'not sound' : 'failed'
    return { entries: 0, accounts: 0, userDays: 0, state, problem, extent: 'file' }
  }
}

await main()
process.exit(0)
