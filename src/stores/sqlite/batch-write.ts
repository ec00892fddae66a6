import type { BatchDecision } from '../../rules/decide-batch.ts'
import { entryColumns, entryValues } from '../entry-row.ts'
import type { Database } from './database.ts'

/** Writes what a batch has decided: entries, account heads, user counters. */
export function prepareWrite(database: Database) {
  const insertEntry = database.prepare(`
    INSERT INTO entries (${entryColumns.join(', ')}) VALUES (${entryColumns.map(() => '?').join(', ')})`)
  const putAccount = database.prepare(`
    INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = excluded.seq, head_hash = excluded.head_hash, awarded_at = excluded.awarded_at,
                              day = excluded.day, day_points = excluded.day_points`)
  const putUserDay = database.prepare(`
    INSERT INTO user_days (tenant_id, user_email, day, points) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET points = excluded.points`)

  return ({ entries, accounts, userDays }: BatchDecision): void => {
    for (const entry of entries) insertEntry.run(...entryValues(entry))
    for (const { partnerId, tenantId, account } of accounts) {
      const { seq, headHash, awardedAt, day, dayPoints } = account
      putAccount.run(partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints)
    }
    for (const { tenantId, userEmail, day, points } of userDays)
      putUserDay.run(tenantId, userEmail, day, points)
  }
}
