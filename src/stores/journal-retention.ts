import { dayMs } from '../rules/vietnam-day.ts'
import { keyUsesUntil } from './journal-statements.ts'

const minuteDays = 7
const hourDays = 90
const endedAlertDays = 90
/** Older days are the same for all processes: the rows of processes that ended long ago are added up. */
const daysByProcess = 2
/** A process that was not running for longer leaves its days as they are. */
const addUpDays = 30

/** How often a process looks for what is too old. */
export const retentionEveryMs = 60_000

/** At most this many rows in one statement. */
const rowsAtOnce = 1_000

/** The first minute, hour or whatever is oldest; the next call deletes the next one. */
const deleteOldest = (span: string) => `
  DELETE FROM journal_counts
  WHERE span = '${span}' AND start < $1 AND start = (SELECT min(start) FROM journal_counts WHERE span = '${span}')`

/** Each deletes some of what is too old; $1 is the time before which it is. */
const deletions = [
  { sql: deleteOldest('minute'), days: minuteDays },
  { sql: deleteOldest('hour'), days: hourDays },
  { sql: 'DELETE FROM journal_nodes WHERE at < $1', days: minuteDays },
  { sql: 'DELETE FROM alerts WHERE ended_at < $1', days: endedAlertDays },
  {
    // A newer one that a clock far ahead recorded is no reason: see keyUsesUntil.
    sql: `DELETE FROM journal_key_uses AS older WHERE older.at < $1 AND EXISTS (
      SELECT 1 FROM journal_key_uses AS newer
      WHERE newer.key_id = older.key_id AND newer.node <> older.node
      AND newer.at BETWEEN older.at AND $1 + ${keyUsesUntil(daysByProcess * dayMs)})`,
    days: daysByProcess,
  },
]

const deleteSome = (table: string, at: string) => `
  DELETE FROM ${table} WHERE ${at} < $1 AND ${at} <=
    coalesce((SELECT ${at} FROM ${table} ORDER BY ${at} LIMIT 1 OFFSET ${rowsAtOnce}), $1)`

/** Replays are on record since then; if none are kept, they are not. */
const replaysSince = (refusalDays: number) => `
  UPDATE journal_key SET replays_since = ${refusalDays > 0 ? '$1' : 'NULL'} WHERE replays_since < $1`

/** Call all of them until none changes a row. */
export function retentionSteps(now: number, refusalDays: number): { sql: string; before: number }[] {
  const kept = [
    deleteSome('journal_refusals', 'at'),
    deleteSome('journal_replays', 'last_at'),
    replaysSince(refusalDays),
  ].map((sql) => ({ sql, days: refusalDays }))
  return [...deletions, ...kept].map(({ sql, days }) => ({ sql, before: now - days * dayMs }))
}

/** The days whose rows are added up: from $1, before $2. */
export function addedUpDays(now: number): [from: number, before: number] {
  return [now - addUpDays * dayMs, now - daysByProcess * dayMs]
}

const ofSeveralProcesses = `FROM journal_counts WHERE span = 'day' AND start >= $1 AND start < $2 AND node <> ''`
const dayKey = 'span, start, partner_id, tenant_id, endpoint, code, detail'

export const addUpStatements = {
  add: (rows: string) => `
    INSERT INTO journal_counts (${dayKey}, node, responses, points)
    SELECT ${dayKey}, '', sum(responses), sum(points) ${rows} GROUP BY ${dayKey}
    ON CONFLICT (${dayKey}, node) DO UPDATE
    SET responses = journal_counts.responses + excluded.responses, points = journal_counts.points + excluded.points`,
  ofSeveralProcesses,
  remove: `DELETE ${ofSeveralProcesses}`,
}
