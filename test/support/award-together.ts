import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Outcome } from '../../src/rules/decide-batch.ts'
import type { AwardCommand } from '../../src/rules/entry.ts'

/** Awards that arrive in one turn of the event loop: an idle ledger commits them together, up to its batch size. */
export function awardTogether(ledger: Ledger, commands: AwardCommand[]): Promise<Outcome[]> {
  return Promise.all(commands.map((command) => ledger.award(command)))
}
