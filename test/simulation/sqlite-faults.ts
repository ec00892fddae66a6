import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import type { FaultPoint } from './deployment.ts'

/** The statements of a batch, by how their SQL begins. */
const statements: [name: string, sql: RegExp][] = [
  ['BEGIN', /^BEGIN IMMEDIATE/],
  ['select grant', /^SELECT\s+partners\.status/],
  ['select account', /^SELECT .* FROM accounts/s],
  ['select known', /^SELECT .* FROM entries WHERE partner_id = \? AND order_id/s],
  ['select user day', /^SELECT points FROM user_days/],
  ['insert entry', /^INSERT INTO entries/],
  ['put account', /^INSERT INTO accounts/],
  ['put user day', /^INSERT INTO user_days/],
  ['COMMIT', /^COMMIT/],
]

type Point = FaultPoint & { statement: string; when: 'before' | 'after'; then: 'an error' | 'a crash' }

/** Before and after each of them, an error of the disk or the end of the writer's thread. */
export const sqlitePoints: Point[] = statements
  .flatMap(([statement]) =>
    (['before', 'after'] as const).flatMap((when) =>
      (['an error', 'a crash'] as const).map((then) => ({
        name: `${then} ${when} ${statement}`,
        isCostly: then === 'a crash',
        statement,
        when,
        then,
      })),
    ),
  )
  // A BEGIN that failed has not begun: the error after it is the one before the next statement.
  .filter(({ name }) => name !== 'an error after BEGIN')

/** Shared by the threads: which point is armed (from 1; 0: none), how often it is passed first, whether it fired. */
export const armed = 0
export const skips = 1
export const fired = 2

const diskError = 10

/**
 * Makes this thread's SQLite fail where `state` says. Its connections also stop waiting for the disk, unless set
 * otherwise: whether a commit survives a power cut is a question for another harness, and a crash of the process
 * loses nothing that was written.
 */
export function breakSqlite(state: Int32Array, { fsync }: { fsync: boolean }): void {
  const exec = DatabaseSync.prototype.exec
  const unsynced = new WeakSet<DatabaseSync>()

  DatabaseSync.prototype.exec = function (sql) {
    if (!fsync && sql === 'BEGIN IMMEDIATE' && !unsynced.has(this)) {
      exec.call(this, 'PRAGMA synchronous = OFF')
      unsynced.add(this)
    }
    return failing(nameOf(sql), () => exec.call(this, sql))
  }
  const names = new WeakMap<StatementSync, string | null>()
  const nameOfStatement = (statement: StatementSync) => {
    if (!names.has(statement)) names.set(statement, nameOf(statement.sourceSQL))
    return names.get(statement)!
  }
  for (const method of ['get', 'run'] as const) {
    const original = StatementSync.prototype[method] as (...values: unknown[]) => never
    StatementSync.prototype[method] = function (this: StatementSync, ...values: unknown[]) {
      return failing(nameOfStatement(this), () => original.apply(this, values))
    }
  }

  function failing<T>(statement: string | null, work: () => T): T {
    if (statement === null || state[armed] === 0) return work()
    pass(statement, 'before')
    const result = work()
    pass(statement, 'after')
    return result
  }

  function pass(statement: string, when: Point['when']): void {
    const point = sqlitePoints[state[armed]! - 1]
    if (point === undefined || point.statement !== statement || point.when !== when) return
    if (isMainThread && point.then === 'a crash') return
    if (state[skips]!-- > 0) return
    state[armed] = 0
    state[fired] = 1
    if (point.then === 'an error') throw Object.assign(new Error(point.name), { errcode: diskError })
    process.exit()
  }
}

function nameOf(sql: string): string | null {
  const text = sql.trimStart()
  return statements.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}
