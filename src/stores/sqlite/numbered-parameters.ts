import type { Database } from './database.ts'

/** Prepares a statement that both stores use: its parameters `$1`, `$2`, … are `?1`, `?2`, … in SQLite. */
export function prepareNumbered(database: Database, sql: string) {
  return database.prepare(sql.replaceAll(/\$(?=\d)/g, '?'))
}
