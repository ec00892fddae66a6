import { Damaged } from '../../ledger/errors.ts'
import type { Client } from './database.ts'

/** Rows that somebody may have changed past the service: what cannot be read is `Damaged`. */
export async function readStored<T>(client: Client, sql: string, values: unknown[]): Promise<T[]> {
  return readable(async () => (await client.query(sql, values)).rows as T[])
}

/** An integer that nothing of ours can have does not fit into a number. */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Damaged(`a row cannot be read: ${error.message}`, { cause: error })
  }
}
