import { Damaged } from '../../ledger/errors.ts'

/** If a table's constraints were removed, its columns may hold any type. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** An integer beyond 2^53 does not fit in a number. No award has one, so the row was changed from outside. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new Damaged(`a row cannot be read: ${error.message}`) : error
  }
}
