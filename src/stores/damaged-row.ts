import { Damaged } from '../ledger/errors.ts'

/** No value of ours is beyond 2^53, so somebody changed the row. The text leads to it: table and value. */
export function damagedRow(table: string | null, value: string): Damaged {
  return new Damaged(
    `a row${table === null ? '' : ` of ${table}`} cannot be read: it holds ${value}, more than any number of ours. The database was changed from outside: find the row by this value, and correct it from a backup`,
  )
}
