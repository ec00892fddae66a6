import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import type { LedgerSnapshot } from '../proof/ledger-snapshot.ts'
import type { Verification } from '../proof/verify.ts'
import { verifyInSteps } from '../proof/verify-steps.ts'
import { beginVerifyRecord, isDamage, openReading } from '../stores/open.ts'
import type { RecordResult } from '../stores/verify-record.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { lowerPriority } from './lower-priority.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'
import { progressBar } from './progress.ts'

type VerifyOptions = DatabaseOptions & { onlyLedger?: boolean }

export function verifyCommand(program: Command): void {
  withDatabaseOptions(program.command('verify'))
    .description(
      'verify the whole ledger, also while it is being served; exit code 1 and the first error if it is not sound',
    )
    .option('--only-ledger', 'skip the check of the database file, which takes about as long again')
    .action(async (options: VerifyOptions) => {
      lowerPriority()
      const { database } = configOf(options)
      const ledger = await openReading(database)
      const record = await beginVerifyRecord(database)
      const { verification, extent } = await verifyWithProgress(ledger, {
        allSteps: !options.onlyLedger,
      }).catch(async (error) => {
        if (isDamage(error)) await recordOrWarn(record, { sound: false, extent: 'file' })
        throw error
      })
      print(verification, options, () => verificationText(verification))
      if (!verification.sound) process.exitCode = 1
      await recordOrWarn(record, { sound: verification.sound, extent })
    })
}

/** Those who may only read the ledger can still verify it. */
async function recordOrWarn(record: RecordResult, result: Parameters<RecordResult>[0]): Promise<void> {
  try {
    const countsAsSound = await record(result, systemClock.now())
    if (result.sound && !countsAsSound) console.error(staysNotSound)
  } catch (error) {
    const reason = terminalSafe((error as Error).message)
    console.error(`The result of this verify could not be recorded for the servers: ${reason}`)
  }
}

const staysNotSound =
  'The servers still report NOT SOUND: a verify that checked more than this one, or that ended while this one ran, has found that. Run verify again, without --only-ledger and, if the ledger is a file, while no server runs on it.'

/** Closes the ledger at the end. */
export async function verifyWithProgress(
  ledger: LedgerSnapshot,
  { allSteps }: { allSteps: boolean },
): ReturnType<typeof verifyInSteps> {
  let bar = progressBar('')
  function progressOf(label: string): (done: number) => void {
    bar.end()
    bar = progressBar(label)
    return bar.show
  }
  try {
    return await verifyInSteps(ledger, { progressOf, allSteps })
  } finally {
    bar.end()
    await ledger.close()
  }
}

export function verificationText({ sound, entries, accounts, userDays, fault }: Verification): string {
  if (!sound) {
    const advice = /without an audit row$/.test(fault ?? '') ? `\n${settingAdvice}` : ''
    return `NOT SOUND: ${terminalSafe(fault ?? '')}${advice}`
  }
  const counts = `${count(entries, 'entry', 'entries')} in ${count(accounts, 'account')}, ${count(userDays, 'user day')}`
  return `sound: ${counts}; chains, points, totals, caps, counters and the audit trail hold`
}

const settingAdvice =
  'A setting was changed without a command. Set it back by SQL to what its last row in the table audit says, run verify again, and then make the change with a command. After an "audit #…: before it" fault this does not help: see "The audit trail" in docs/operator/running.md.'
