import { damagedRow } from '../damaged-row.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/** If a table's constraints were removed, its columns may hold any type. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** An integer beyond 2^53 does not fit in a number. No award has one, so the row was changed from outside. */
export function readable<T>(read: () => T, table: string | null = null): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw damagedRow(table, /-?\d+$/.exec(error.message)?.[0] ?? error.message)
  }
}

type Value = null | number | bigint | string | Uint8Array
type Row = Record<string, Value>
type Statement = { get(...values: Value[]): Row | undefined; all(...values: Value[]): Row[] }

/** A statement that reads this table, and names it if a row cannot be read. */
export function prepareReading(database: Database, table: string, sql: string): Statement {
  const statement = prepareNumbered(database, sql)
  return {
    get: (...values) => readable(() => statement.get(...values), table),
    all: (...values) => readable(() => statement.all(...values), table),
  }
}
