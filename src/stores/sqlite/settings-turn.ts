import type { OperatorAccount } from '../../operator/access/operator-store.ts'
import { assertStillAdmitted } from '../../operator/access/still-admitted.ts'
import type { Change } from '../../partners/partner-store.ts'
import { versionFaultOf } from '../audit-event.ts'
import { Damaged } from '../../ledger/errors.ts'
import { operatorStatements, type TokenRow, tokenOf } from '../operator-rows.ts'
import { partnerStatements } from '../partner-statements.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/**
 * Every change of settings begins here, inside its transaction: whoever makes it is still allowed to when it is committed.
 * Servers look for a new version several times a second. Returns it.
 */
export function takeTurn(database: Database, { admittedAs, at }: Change): number {
  const row = prepareNumbered(database, partnerStatements.raiseSettingsVersion).get()
  if (row === undefined) {
    const found = prepareNumbered(database, partnerStatements.selectSettingsVersion).get()
    throw new Damaged(versionFaultOf(found?.version as string | undefined)!)
  }
  if (admittedAs !== null) {
    const rowOf = (select: string, id: string | null) =>
      id === null ? null : (prepareNumbered(database, select).get(id) ?? null)
    const operator = rowOf(operatorStatements.selectOperator, admittedAs.operatorId) as OperatorAccount | null
    const token = rowOf(operatorStatements.selectToken, admittedAs.tokenId) as TokenRow | null
    assertStillAdmitted(admittedAs, { operator, token: token && tokenOf(token) }, at)
  }
  return row.version as number
}
