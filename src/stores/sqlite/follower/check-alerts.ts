import { identityOf } from '../../../alerts/alert.ts'
import type { AlertCheck } from '../../../alerts/alert-checker.ts'
import { decideAlerts } from '../../../alerts/decide.ts'
import { clockMs } from '../../../alerts/rules.ts'
import { accountsInQuestion, type LedgerSeen, seenAt, windowsOf } from '../../../alerts/seen.ts'
import type { AccountId } from '../../../rules/cursor.ts'
import { vietnamDay } from '../../../rules/vietnam-day.ts'
import { alertStatements, journalSeen, ledgerSeen, openAlert, raiseValues } from '../../alert-statements.ts'
import { keyUsesUntil } from '../../journal-statements.ts'
import { limitsQuery, nearCapQuery, sandboxTenantsQuery } from '../../usage-query.ts'
import { type Database, inTransaction } from '../database.ts'
import { prepareNumbered } from '../numbered-parameters.ts'
import { ofLedger } from './followed-ledger.ts'

/** Some milliseconds with thousands of accounts, in this thread, where nobody waits. */
export function readLedgerSeen(ledger: Database, now: number, accounts: AccountId[]): LedgerSeen {
  const ids = JSON.stringify(accounts.map(({ partnerId, tenantId }) => [partnerId, tenantId]))
  return ofLedger(() =>
    ledgerSeen({
      usage: prepareNumbered(ledger, nearCapQuery).all(vietnamDay(now)),
      limits: prepareNumbered(ledger, limitsOf).all(ids),
      sandbox: ledger.prepare(sandboxTenantsQuery).all(),
    }),
  )
}

const limitsOf = limitsQuery('SELECT value ->> 0, value ->> 1 FROM json_each($1)')

/** Records what begins and what is over. */
export function prepareAlertCheck(
  database: Database,
): (now: number, readLedger: (accounts: AccountId[]) => LedgerSeen) => AlertCheck {
  const prepared = (name: keyof typeof alertStatements) => prepareNumbered(database, alertStatements[name])
  const counts = prepared('counts')
  const refusing = prepared('refusing')
  const keys = prepared('keys')
  const open = prepared('open')
  const raise = prepared('raise')
  const hold = prepared('hold')
  const end = prepared('end')

  return (now, readLedger) => {
    const windows = windowsOf(now)
    return inTransaction(database, () => {
      const rows = {
        counts: counts.all(windows.before, windows.recent),
        refusing: refusing.all(windows.refusals),
        keys: keys.all(windows.keys, clockMs, keyUsesUntil(now)),
      }
      const journal = journalSeen(rows)
      const before = open.all().map(openAlert)
      const ledger = readLedger(accountsInQuestion(before, journal.refusing))
      const decision = decideAlerts(seenAt(now, ledger, journal), before)
      for (const alert of decision.holds) hold.run(identityOf(alert), now)
      for (const alert of decision.over) end.run(identityOf(alert), now)
      const begun = decision.begin.filter((alert) => raise.get(...raiseValues(alert, now)) !== undefined)
      return { begun, open: open.all().map(openAlert) }
    })
  }
}
