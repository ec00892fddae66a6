import { chainLegacyAudit, type LegacyRow } from '../chain-legacy-audit.ts'
import { type RowsBeforeChain, settingsBeforeChain, settingsOf } from '../settings-before-chain.ts'
import { insertAuditRows, putAuditHead } from './audit-trail.ts'
import type { Database } from './database.ts'

/** The part of migration 0005 that SQL cannot do: see its file. */
export function chainAudit(database: Database): void {
  const chain = chainLegacyAudit()
  const legacy = database.prepare(`
    SELECT at, actor, action, subject, before, after FROM audit_before_chain ORDER BY audit_id`)
  for (const row of legacy.iterate()) insertAuditRows(database, [chain.row(row as LegacyRow)])

  const rows = Object.entries(settingsBeforeChain).map(([name, sql]) => [name, database.prepare(sql).all()])
  const settings = settingsOf(Object.fromEntries(rows) as RowsBeforeChain)
  const { now } = database.prepare("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now").get()!
  insertAuditRows(database, chain.rowsOfSettings(settings, now as number))
  putAuditHead(database, chain.head())
  database.exec('DROP TABLE audit_before_chain')
}
