import type { OperatorAccount } from '../../operator/access/operator-store.ts'
import { assertStillAdmitted } from '../../operator/access/still-admitted.ts'
import type { Change } from '../../partners/partner-store.ts'
import { versionFaultOf } from '../audit-event.ts'
import { Damaged } from '../../ledger/errors.ts'
import { operatorStatements, type TokenRow, tokenOf } from '../operator-rows.ts'
import { partnerStatements } from '../partner-statements.ts'
import { type Database, inTransaction } from './database.ts'
import { copyLongLog } from './log.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/**
 * Every change of settings is made here, in a transaction: whoever makes it is still allowed to when it is committed. The
 * work gets the new version, for which servers look several times a second.
 */
export function inTurn<T>(database: Database, by: Change, work: (version: number) => T): T {
  const result = inTransaction(database, () => work(takeTurn(database, by)))
  copyLongLog(database)
  return result
}

function takeTurn(database: Database, { admittedAs, at }: Change): number {
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
