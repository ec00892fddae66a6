import type { ApiToken, OperatorAccount, OperatorAccounts } from '../../operator/access/operator-store.ts'
import { auditEvent } from '../audit-event.ts'
import {
  operatorStatements as sql,
  operatorValues,
  type TokenRow,
  tokenOf,
  tokenValues,
} from '../operator-rows.ts'
import { appendAudit } from './audit-trail.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { inTurn } from './settings-turn.ts'
import { prepareReading } from './stored-values.ts'

/** Accounts and tokens, as rows: each change is one transaction with its audit row. */
export function createOperatorAccounts(database: Database): OperatorAccounts {
  return {
    operators: async () => loadOperators(database),
    async operator(operatorId) {
      const row = prepareReading(database, 'operators', sql.selectOperator).get(operatorId)
      return row === undefined ? null : ({ ...row } as OperatorAccount)
    },
    changeOperator: async (operatorId, by, change) =>
      inTurn(database, by, () => {
        const all = loadOperators(database)
        const before = all.find((one) => one.operatorId === operatorId)
        const after = change(before, all)
        prepareNumbered(database, sql.putOperator).run(...operatorValues(after))
        appendAudit(database, [auditEvent(by, before, after)])
        return after
      }),

    tokens: async () => loadTokens(database),
    async tokenOf(tokenHash) {
      const row = prepareReading(database, 'operator_tokens', sql.selectTokenByHash).get(tokenHash)
      return row === undefined ? null : tokenOf(row as TokenRow)
    },
    changeToken: async (tokenId, by, change) =>
      inTurn(database, by, () => {
        const all = loadTokens(database)
        const before = all.find((one) => one.tokenId === tokenId)
        const after = change(before, all)
        prepareNumbered(database, sql.putToken).run(...tokenValues(after))
        appendAudit(database, [auditEvent(by, before, after)])
        return after
      }),
    settle: async () => {}, // a commit is durable when it returns
  }
}

export function loadOperators(database: Database): OperatorAccount[] {
  const rows = prepareReading(database, 'operators', sql.selectOperators).all()
  return rows.map((row) => ({ ...row }) as OperatorAccount)
}

export function loadTokens(database: Database): ApiToken[] {
  const rows = prepareReading(database, 'operator_tokens', sql.selectTokens).all()
  return rows.map((row) => tokenOf(row as TokenRow))
}
