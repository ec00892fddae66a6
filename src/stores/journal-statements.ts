import type { Span } from '../journal/journal-reader.ts'
import { dayMs, utcOffsetMs } from '../rules/vietnam-day.ts'

const hourMs = 3_600_000

/** The minute, hour and day that a minute belongs to. Vietnam's offset is whole hours, so that hours are those of UTC. */
export function spansOf(minute: number): { span: Span; start: number }[] {
  return [
    { span: 'minute', start: minute },
    { span: 'hour', start: minute - (minute % hourMs) },
    { span: 'day', start: minute - ((minute + utcOffsetMs) % dayMs) },
  ]
}

/** The same in SQL. */
export const spansOfMinute = `VALUES
  ('minute', minute), ('hour', minute - minute % ${hourMs}), ('day', minute - (minute + ${utcOffsetMs}) % ${dayMs})`

/** Later uses are of a process whose clock was ahead. Clocks of nodes differ by less than an hour. */
export const keyUsesUntil = (now: number) => now + hourMs

/** In place of the fingerprint and the key of replays that were left out: neither can be null in a primary key. */
export const leftOut = ''

/** The statements of the journal that both stores use. */
export const journalStatements = {
  lastNumber: 'SELECT batch_number AS number FROM journal_nodes WHERE node = $1',
  putNode: `INSERT INTO journal_nodes (node, batch_number, at) VALUES ($1, $2, $3)
    ON CONFLICT (node) DO UPDATE SET batch_number = excluded.batch_number, at = excluded.at`,
  addCount: `INSERT INTO journal_counts
    (span, start, partner_id, tenant_id, endpoint, code, detail, node, responses, points)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (span, start, partner_id, tenant_id, endpoint, code, detail, node) DO UPDATE
    SET responses = journal_counts.responses + excluded.responses, points = journal_counts.points + excluded.points`,
  addRefusal: `INSERT INTO journal_refusals
    (at, node, partner_id, key_id, tenant_id, endpoint, code, cap, cap_limit, requested, used, request_id, order_fingerprint)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
  addReplays: `INSERT INTO journal_replays
    (order_fingerprint, partner_id, key_id, node, replays, first_at, last_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (order_fingerprint, partner_id, key_id, node) DO UPDATE
    SET replays = journal_replays.replays + excluded.replays, last_at = excluded.last_at`,
  putReplaysSince: 'UPDATE journal_key SET replays_since = $1 WHERE replays_since IS NULL',
  putKeyUse: `INSERT INTO journal_key_uses (key_id, node, partner_id, at, clock_difference_ms)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (key_id, node) DO UPDATE SET at = excluded.at, clock_difference_ms = excluded.clock_difference_ms`,
  storedKey: 'SELECT sealed FROM journal_key WHERE only_row = 1',
  putKeyIfAbsent:
    'INSERT INTO journal_key (only_row, sealed) VALUES (1, $1) ON CONFLICT (only_row) DO NOTHING',
  replaceKey: `INSERT INTO journal_key (only_row, sealed) VALUES (1, $1)
    ON CONFLICT (only_row) DO UPDATE SET sealed = excluded.sealed, replays_since = NULL`,
}
