import { damagedRow } from '../damaged-row.ts'

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
