import type { Command } from 'commander'
import type { LedgerSnapshot } from '../proof/ledger-snapshot.ts'
import { type Verification, verifyLedger } from '../proof/verify.ts'
import { openReading } from '../stores/open.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { count, print } from './output.ts'
import { progressBar } from './progress.ts'

export function verifyCommand(program: Command): void {
  withDatabaseOptions(program.command('verify'))
    .description(
      'prove the whole ledger, also while it is being served; exit code 1 with the first fault named',
    )
    .action(async (options: DatabaseOptions) => {
      const verification = await verifyWithProgress(await openReading(configOf(options).database))
      print(verification, options, () => verificationText(verification))
      if (!verification.sound) process.exitCode = 1
    })
}

async function verifyWithProgress(snapshot: LedgerSnapshot): Promise<Verification> {
  const bar = progressBar('verifying')
  try {
    return await verifyLedger(snapshot, bar.show)
  } finally {
    bar.end()
    await snapshot.close()
  }
}

export function verificationText({ sound, entries, accounts, userDays, fault }: Verification): string {
  if (!sound) return `NOT SOUND: ${fault}`
  const counts = `${count(entries, 'entry', 'entries')} in ${count(accounts, 'account')}, ${count(userDays, 'user day')}`
  return `sound: ${counts}; chains, points, totals, caps and counters hold`
}
