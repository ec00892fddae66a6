import { type Database, inTransaction } from '../database.ts'

type HashedUser = { hash: bigint; place: number }

export type RunSizes = {
  /** Rows, or runs, that wait before they are moved. More of them would make a search slower. */
  rowsMax: number
  runsMax: number
  /** About as many rows are moved in one transaction. */
  moveMax: number
}

/** The hashes are moved in equal ranges of them, then the runs up to `upTo` are removed. */
type Move = { upTo: number; parts: number; part: number }

/** The numbers of the runs, each found by one look at the table. */
const runs = `
  WITH RECURSIVE runs (run) AS (
    SELECT min(run) FROM by_user_runs
    UNION ALL
    SELECT (SELECT min(run) FROM by_user_runs WHERE run > runs.run) FROM runs WHERE run IS NOT NULL
  )`

/** Places of a user that still wait in a run. */
export const placesInRuns = `${runs}
  SELECT place FROM runs CROSS JOIN by_user_runs USING (run) WHERE user64 = ? ORDER BY place DESC LIMIT ?`

/**
 * A user's hash belongs on any page of by_user, so that every entry would write a page of its own. Instead, the entries of
 * one step are a sorted run, written in one piece behind the runs before it. Many runs are then moved to by_user
 * together, in the order of the hashes, which writes each page once. A row is taken out of its run after it was moved: a
 * search may see it twice, and never not at all.
 */
export function prepareUserRuns(operator: Database, { rowsMax, runsMax, moveMax }: RunSizes) {
  const insert = operator.prepare('INSERT INTO by_user_runs VALUES (?, ?, ?)')
  const move = operator.prepare(`${runs}
    INSERT OR IGNORE INTO by_user SELECT user64, place FROM runs CROSS JOIN by_user_runs USING (run)
    WHERE run <= ? AND user64 BETWEEN ? AND ? ORDER BY user64, place`)
  const firstRun = operator.prepare('SELECT min(run) AS run FROM by_user_runs')
  const removeRun = operator.prepare('DELETE FROM by_user_runs WHERE run = ?')
  const found = operator
    .prepare('SELECT count(*) AS rows, count(DISTINCT run) AS runs, max(run) AS last FROM by_user_runs')
    .get() as { rows: number; runs: number; last: number | null }
  let { rows: waiting, runs: waitingRuns } = found
  let lastRun = found.last ?? 0
  let moving: Move | null = null

  /** In a transaction of the caller. */
  function moveRows({ upTo, parts, part }: Move): { handled: number; next: Move } {
    const width = 2n ** 64n / BigInt(parts)
    const from = -(2n ** 63n) + width * BigInt(part)
    const last = part === parts - 1 ? 2n ** 63n - 1n : from + width - 1n
    const moved = Number(move.run(upTo, from, last).changes)
    return { handled: moved, next: { upTo, parts, part: part + 1 } }
  }

  /** One run, all of whose rows were moved. The move ends when there is none. */
  function removeNext(now: Move): { handled: number; next: Move | null } {
    const run = firstRun.get()!.run as number | null
    if (run === null || run > now.upTo) return { handled: 0, next: null }
    const removed = Number(removeRun.run(run).changes)
    waiting -= removed
    waitingRuns--
    return { handled: removed, next: now }
  }

  return {
    /** In a transaction of the caller. */
    add(users: HashedUser[]): void {
      users.sort((one, other) => (one.hash < other.hash ? -1 : one.hash > other.hash ? 1 : 0))
      const run = lastRun + 1
      for (const { hash, place } of users) insert.run(run, hash, place)
    },
    /** The transaction of `add` was committed. */
    added(count: number): void {
      lastRun++
      waiting += count
      waitingRuns++
      if (moving === null && (waiting >= rowsMax || waitingRuns >= runsMax))
        moving = { upTo: lastRun, parts: Math.ceil(waiting / moveMax), part: 0 }
    },
    /** A move handles each row twice. It handles four times as many as were added, so that it ends under any load. */
    moveSome(added: number): void {
      let handled = 0
      while (moving !== null && handled <= added * 4) {
        const now = moving
        const done = now.part < now.parts ? inTransaction(operator, () => moveRows(now)) : removeNext(now)
        handled += done.handled
        moving = done.next
      }
    },
  }
}
