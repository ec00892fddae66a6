import { dayMs, utcOffsetMs } from '../rules/vietnam-day.ts'

/** The Vietnam day of a time: both stores divide integers. */
export const dayOf = (awardedAt: string) => `((${awardedAt} + ${utcOffsetMs}) / ${dayMs})`

/** Calculates every counter from the entries, in empty tables, and the head of the audit trail from its rows. */
export const counterQueries = [
  `INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
   SELECT head.partner_id, head.tenant_id, head.seq, head.hash, head.awarded_at, ${dayOf('head.awarded_at')},
     (SELECT sum(points) FROM entries
      WHERE entries.partner_id = head.partner_id AND entries.tenant_id = head.tenant_id
        AND ${dayOf('entries.awarded_at')} = ${dayOf('head.awarded_at')})
   FROM entries AS head JOIN (
     SELECT partner_id, tenant_id, max(seq) AS seq FROM entries GROUP BY partner_id, tenant_id
   ) AS longest USING (partner_id, tenant_id, seq)`,
  `INSERT INTO user_days (tenant_id, user_email, day, points)
   SELECT tenant_id, user_email, ${dayOf('awarded_at')}, sum(points)
   FROM entries GROUP BY tenant_id, user_email, ${dayOf('awarded_at')}`,
  `UPDATE audit_head SET
     seq = coalesce((SELECT max(audit_seq) FROM audit), 0),
     hash = coalesce((SELECT hash FROM audit ORDER BY audit_seq DESC LIMIT 1), hash)
   WHERE only_row = 1`,
]
