import { knowsTime } from '../clock.ts'

/** The row of journal_nodes that holds the time by which rows were last called too old. No process has this name. */
const retentionRow = '(retention)'

const hourMs = 3_600_000
/** A process that has just started advances it by this much. */
const atStartMs = hourMs
/** Then it advances at most so many times as fast as the process runs: a day per hour. */
const speed = 24

export const retentionStatements = {
  /** $1: see `olderThan`. `before`: the last time of an earlier process, for a journal without that row. */
  reached: `SELECT
    (SELECT at FROM journal_nodes WHERE node = '${retentionRow}') AS reached,
    (SELECT max(at) FROM journal_nodes WHERE node <> '${retentionRow}' AND at < $1) AS before`,
  put: `INSERT INTO journal_nodes (node, batch_number, at) VALUES ('${retentionRow}', 0, $1)
    ON CONFLICT (node) DO UPDATE SET at = excluded.at`,
}

/** What is newer may be of this process itself. */
export const olderThan = (now: number) => now - hourMs

export type Reached = { reached: number | null; before: number | null }

/**
 * The time for what is deleted by its age. A process that is started with a clock far ahead would call everything too old.
 * So the time is stored and shared by all processes, never ahead of the clock of whoever asks, and catches up slowly: after
 * a long pause, and also with such a clock, whose process deletes a day's rows in an hour. A process whose clock is right sets
 * it back. One that does not know the time yet leaves it. `now` must not jump: see createSteadyTime.
 */
export function createRetentionTime(): (now: number, stored: Reached) => number {
  let last: number | null = null
  return (now, { reached, before }) => {
    if (!knowsTime(now)) return reached ?? now
    const advance = last === null ? atStartMs : speed * Math.max(0, now - last)
    last = now
    // The first process of a ledger may not have known the time.
    const from = [reached, before].find((time) => time !== null && knowsTime(time)) ?? now
    return Math.min(now, from + advance)
  }
}
