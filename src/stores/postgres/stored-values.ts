import { Damaged } from '../../ledger/errors.ts'
import type { Client } from './database.ts'

/** Reads rows that may have been changed from outside: one that cannot be read is `Damaged`. */
export async function readStored<T>(client: Client, sql: string, values: unknown[]): Promise<T[]> {
  return readable(async () => (await client.query(sql, values)).rows as T[])
}

/** An integer beyond 2^53 does not fit in a number. No award has one, so the row was changed from outside. */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Damaged(`a row cannot be read: ${error.message}`, { cause: error })
  }
}
