import { type Database, inTransaction } from '../database.ts'
import { prepareInsertRows } from './insert-rows.ts'
import { userHashEnd } from './user-hash.ts'

type HashedUser = { hash: number; place: number }

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
  SELECT place FROM runs CROSS JOIN by_user_runs USING (run) WHERE user48 = ? ORDER BY place DESC LIMIT ?`

/**
 * A user's hash belongs on any page of by_user, so that every entry would write a page of its own. Instead, the entries of
 * one step are a sorted run, written in one piece behind the runs before it. Many runs are then moved to by_user
 * together, in the order of the hashes, which writes each page once. A row is taken out of its run after it was moved: a
 * search may see it twice, and never not at all.
 */
export function prepareUserRuns(operator: Database, { rowsMax, runsMax, moveMax }: RunSizes) {
  const insert = prepareInsertRows(operator, { table: 'by_user_runs', columns: 3 })
  const move = operator.prepare(`${runs}
    INSERT OR IGNORE INTO by_user SELECT user48, place FROM runs CROSS JOIN by_user_runs USING (run)
    WHERE run <= ? AND user48 >= ? AND user48 < ? ORDER BY user48, place`)
  const firstRun = operator.prepare('SELECT min(run) AS run FROM by_user_runs')
  const removeRun = operator.prepare('DELETE FROM by_user_runs WHERE run = ?')
  const found = operator
    .prepare('SELECT count(*) AS rows, count(DISTINCT run) AS runs, max(run) AS last FROM by_user_runs')
    .get() as { rows: number; runs: number; last: number | null }
  let { rows: waiting, runs: waitingRuns } = found
  let lastRun = found.last ?? 0
  let moving: Move | null = null
  /** A move handles each row twice. It handles four times as many as were added meanwhile, so that it ends under any load. */
  let due = 0

  /** In a transaction of the caller. */
  function moveRows({ upTo, parts, part }: Move): { handled: number; next: Move } {
    const startOf = (part: number) => Math.ceil((userHashEnd / parts) * part)
    const moved = Number(move.run(upTo, startOf(part), startOf(part + 1)).changes)
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
      users.sort((one, other) => one.hash - other.hash || one.place - other.place)
      const run = lastRun + 1
      insert(users.map(({ hash, place }) => [run, hash, place]))
    },
    /** The transaction of `add` was committed. */
    added(count: number): void {
      lastRun++
      waiting += count
      waitingRuns++
      due += 4 * count
      if (moving !== null || (waiting < rowsMax && waitingRuns < runsMax)) return
      moving = { upTo: lastRun, parts: Math.ceil(waiting / moveMax), part: 0 }
      due = 0
    },
    isMoveDue: () => moving !== null && due > 0,
    /** One short transaction. Returns how many rows were handled; 0: there is nothing to move. */
    moveNext(): number {
      if (moving === null) return 0
      const now = moving
      const { handled, next } =
        now.part < now.parts ? inTransaction(operator, () => moveRows(now)) : removeNext(now)
      due -= handled
      moving = next
      return Math.max(handled, 1)
    },
  }
}
