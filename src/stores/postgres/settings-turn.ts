import { assertStillAdmitted } from '../../operator/access/still-admitted.ts'
import type { Change } from '../../partners/partner-store.ts'
import { versionFaultOf } from '../audit-event.ts'
import { Damaged } from '../../ledger/errors.ts'
import { operatorStatements, tokenOf } from '../operator-rows.ts'
import { partnerStatements } from '../partner-statements.ts'
import { type Client, inTransaction, type Pool } from './database.ts'
import { settingsChannel } from './settings-watch.ts'

/**
 * Every change of settings begins here. They are made one after the other: the transaction that holds this row's lock reads the
 * latest state, so that whoever makes the change is still allowed to when it is committed. The notice goes out with the
 * commit. Returns the number of the turn.
 */
export async function takeTurn(client: Client, { admittedAs, at }: Change): Promise<number> {
  const { rows } = await client.query(partnerStatements.raiseSettingsVersion)
  if (rows.length !== 1) {
    const found = await client.query(partnerStatements.selectSettingsVersion)
    throw new Damaged(versionFaultOf(found.rows[0]?.version)!)
  }
  if (admittedAs !== null) {
    const rowOf = async (select: string, id: string | null) =>
      id === null ? null : ((await client.query(select, [id])).rows[0] ?? null)
    const operator = await rowOf(operatorStatements.selectOperator, admittedAs.operatorId)
    const token = await rowOf(operatorStatements.selectToken, admittedAs.tokenId)
    assertStillAdmitted(admittedAs, { operator, token: token && tokenOf(token) }, at)
  }
  await client.query(`NOTIFY ${settingsChannel}`)
  return rows[0].version
}

/**
 * A message in the write-ahead log, but no row: its COMMIT waits for the standby like a change's. While the standby is away,
 * only one waits for it, whoever gives up: the others wait for its lock, and end with their connection.
 */
export function settle(changes: Pool): Promise<void> {
  return inTransaction(changes, async (client) => {
    await client.query('SELECT FROM settings_version WHERE only_row = 1 FOR UPDATE')
    await client.query("SELECT pg_logical_emit_message(true, 'partner-credit', 'settle')")
  })
}
