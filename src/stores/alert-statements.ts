import { type Alert, identityOf, type OpenAlert, type RecordedAlert } from '../alerts/alert.ts'
import { type AccountLimit, type AccountUsage, recentMinutes } from '../alerts/rules.ts'
import type { JournalSeen, LedgerSeen } from '../alerts/seen.ts'

/** The statements of alerts that both stores use. Reading what was seen is bounded by the minutes, not by the journal. */
export const alertStatements = {
  /** Of the minutes since $1; `recent` is 1 for those since $2. */
  counts: `SELECT partner_id AS "partnerId", tenant_id AS "tenantId", code, detail,
      CASE WHEN start >= $2 THEN 1 ELSE 0 END AS recent, sum(responses) AS responses
    FROM journal_counts WHERE span = 'minute' AND start >= $1
    GROUP BY partner_id, tenant_id, code, detail, CASE WHEN start >= $2 THEN 1 ELSE 0 END`,
  /** Since $1. */
  refusing: `SELECT DISTINCT partner_id AS "partnerId", tenant_id AS "tenantId", cap_limit AS "limit"
    FROM journal_refusals WHERE at >= $1 AND cap = 'perPartnerDay' LIMIT 1000`,
  /**
   * Keys that were used since $1 and whose last difference, until $3, was above $2. If several processes saw the key in
   * its last minutes, all of them must have seen that: then it is the difference that is nearest to zero.
   */
  keys: `SELECT partner_id AS "partnerId", key_id AS "keyId",
      CASE WHEN max(clock_difference_ms) < 0 THEN max(clock_difference_ms) ELSE min(clock_difference_ms) END AS "aheadMs"
    FROM journal_key_uses AS used
    WHERE at BETWEEN $1 AND $3 AND at >=
      (SELECT max(at) FROM journal_key_uses WHERE key_id = used.key_id AND at <= $3) - ${recentMinutes * 60_000}
    GROUP BY partner_id, key_id HAVING min(abs(clock_difference_ms)) > $2 LIMIT 1000`,
  open: `SELECT kind, partner_id AS "partnerId", tenant_id AS "tenantId", key_id AS "keyId", occasion, facts, held_at AS "heldAt"
    FROM alerts WHERE ended_at IS NULL`,
  /** Of processes that find the same at the same time, one inserts it. */
  raise: `INSERT INTO alerts (identity, kind, partner_id, tenant_id, key_id, occasion, facts, raised_at, held_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
    ON CONFLICT (identity) WHERE ended_at IS NULL DO NOTHING RETURNING identity`,
  hold: 'UPDATE alerts SET held_at = $2 WHERE identity = $1 AND ended_at IS NULL AND held_at < $2',
  end: 'UPDATE alerts SET ended_at = $2 WHERE identity = $1 AND ended_at IS NULL',
  /** Raised since $1, or open; newest first. */
  since: `SELECT kind, partner_id AS "partnerId", tenant_id AS "tenantId", key_id AS "keyId", occasion, facts,
      raised_at AS "raisedAt", ended_at AS "endedAt"
    FROM alerts WHERE raised_at >= $1 OR ended_at IS NULL ORDER BY raised_at DESC, identity LIMIT $2`,
}

type Row = Record<string, unknown>

/** The values of `raise`. */
export function raiseValues(alert: Alert, at: number): (string | number | null)[] {
  const { kind, partnerId, tenantId, keyId, occasion, facts } = alert
  return [identityOf(alert), kind, partnerId, tenantId, keyId, occasion, JSON.stringify(facts), at]
}

export function ledgerSeen(rows: { usage: Row[]; limits: Row[]; sandbox: Row[] }): LedgerSeen {
  return {
    usage: rows.usage.map((row) => ({
      ...(row as AccountUsage),
      used: Number(row.used),
      limit: Number(row.limit),
    })),
    limits: rows.limits.map(accountLimit),
    sandboxTenants: rows.sandbox.map(({ tenantId }) => tenantId as string),
  }
}

/** PostgreSQL's driver gives large integers and sums as text. */
export function journalSeen(rows: { counts: Row[]; refusing: Row[]; keys: Row[] }): JournalSeen {
  return {
    counts: rows.counts.map((row) => ({
      ...(row as JournalSeen['counts'][number]),
      recent: Number(row.recent) === 1,
      responses: Number(row.responses),
    })),
    refusing: rows.refusing.map(accountLimit),
    keys: rows.keys.map((row) => ({
      ...(row as JournalSeen['keys'][number]),
      aheadMs: Number(row.aheadMs),
    })),
  }
}

function accountLimit(row: Row): AccountLimit {
  return { ...(row as AccountLimit), limit: Number(row.limit) }
}

export function openAlert(row: Row): OpenAlert {
  return { ...alertIn(row), heldAt: Number(row.heldAt) }
}

export function recordedAlert(row: Row): RecordedAlert {
  const endedAt = row.endedAt === null ? null : Number(row.endedAt)
  return { ...alertIn(row), raisedAt: Number(row.raisedAt), endedAt }
}

function alertIn(row: Row): Alert {
  const { kind, partnerId, tenantId, keyId, occasion, facts } = row as Omit<Alert, 'facts'> & {
    facts: string
  }
  return { kind, partnerId, tenantId, keyId, occasion, facts: JSON.parse(facts) }
}
