import { Damaged } from '../../ledger/errors.ts'

/** A table whose rules were removed may hold anything. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** An integer that no award can have does not fit into a number. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new Damaged(`a row cannot be read: ${error.message}`) : error
  }
}
