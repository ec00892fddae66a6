import type { ApiToken, OperatorAccount, OperatorAccounts } from '../../operator/access/operator-store.ts'
import { auditEvent } from '../audit-event.ts'
import { operatorStatements as sql, operatorValues, tokenOf, tokenValues } from '../operator-rows.ts'
import { appendAudit } from './audit-trail.ts'
import { asUnavailable, type Client, inTransaction, type Pool, readingTable, withClient } from './database.ts'
import { settle, takeTurn } from './settings-turn.ts'

/** Accounts and tokens, as rows: each change is one transaction with its audit row. */
export function createOperatorAccounts(pool: Pool, changes: Pool = pool): OperatorAccounts {
  const read = <T>(work: (client: Client) => Promise<T>) =>
    withClient(pool, work).catch((error) => {
      throw asUnavailable(error)
    })
  return {
    operators: () => read(loadOperators),
    async operator(operatorId) {
      const { rows } = await read((client) => client.query(sql.selectOperator, [operatorId]))
      return rows[0] ?? null
    },
    changeOperator: (operatorId, by, change) =>
      inTransaction(changes, async (client) => {
        await takeTurn(client, by)
        const all = await loadOperators(client)
        const before = all.find((one) => one.operatorId === operatorId)
        const after = change(before, all)
        await client.query(sql.putOperator, operatorValues(after))
        await appendAudit(client, [auditEvent(by, before, after)])
        return after
      }),

    tokens: () => read(loadTokens),
    async tokenOf(tokenHash) {
      const { rows } = await read((client) => client.query(sql.selectTokenByHash, [tokenHash]))
      return rows.length === 0 ? null : tokenOf(rows[0])
    },
    changeToken: (tokenId, by, change) =>
      inTransaction(changes, async (client) => {
        await takeTurn(client, by)
        const all = await loadTokens(client)
        const before = all.find((one) => one.tokenId === tokenId)
        const after = change(before, all)
        await client.query(sql.putToken, tokenValues(after))
        await appendAudit(client, [auditEvent(by, before, after)])
        return after
      }),
    settle: () => settle(changes),
  }
}

export async function loadOperators(client: Client): Promise<OperatorAccount[]> {
  return readingTable('operators', async () => (await client.query(sql.selectOperators)).rows)
}

export async function loadTokens(client: Client): Promise<ApiToken[]> {
  const { rows } = await readingTable('operator_tokens', () => client.query(sql.selectTokens))
  return rows.map(tokenOf)
}
