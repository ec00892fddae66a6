import { chainLegacyAudit } from '../chain-legacy-audit.ts'
import { type RowsBeforeChain, settingsBeforeChain, settingsOf } from '../settings-before-chain.ts'
import { insertAuditRow, putAuditHead } from './audit-trail.ts'
import type { Client } from './database.ts'

const chunkSize = 1000

/** The part of migration 0002 that takes more than SQL: see its file. */
export async function chainAudit(client: Client): Promise<void> {
  const chain = chainLegacyAudit()
  let last = 0
  for (;;) {
    const { rows } = await client.query(
      `SELECT audit_id, at, actor, action, subject, before, after FROM audit_before_chain
       WHERE audit_id > $1 ORDER BY audit_id LIMIT ${chunkSize}`,
      [last],
    )
    for (const row of rows) await insertAuditRow(client, chain.row(row))
    if (rows.length < chunkSize) break
    last = rows.at(-1).audit_id
  }
  const rows: Partial<Record<keyof RowsBeforeChain, unknown[]>> = {}
  for (const [name, sql] of Object.entries(settingsBeforeChain)) {
    rows[name as keyof RowsBeforeChain] = (await client.query(sql)).rows
  }
  const now = await client.query(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000::numeric)::bigint AS now',
  )
  const settings = settingsOf(rows as RowsBeforeChain)
  for (const row of chain.rowsOfSettings(settings, now.rows[0].now)) await insertAuditRow(client, row)
  await putAuditHead(client, chain.head())
  await client.query('DROP TABLE audit_before_chain')
}
