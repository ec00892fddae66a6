import type { Client } from './database.ts'

/** Reads rows that may have been changed from outside: one that cannot be read is `Damaged`. */
export async function readStored<T>(client: Client, sql: string, values: unknown[]): Promise<T[]> {
  return (await client.query(sql, values)).rows as T[]
}
