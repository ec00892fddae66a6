import { Damaged } from '../ledger/errors.ts'
import type { DefaultCaps } from '../partners/partner-store.ts'

/** No value of ours is beyond 2^53, so somebody changed the row. The text leads to it: table and value. */
export function damagedRow(table: string | null, value: string): Damaged {
  return new Damaged(
    `a row${table === null ? '' : ` of ${table}`} cannot be read: it holds ${value}, more than any number of ours. The database was changed from outside: find the row by this value, and correct it from a backup`,
  )
}

/** Without this row, awards are refused, except where all caps are set by the partner and the tenant. */
export function assertDefaultCaps(row: DefaultCaps | undefined): asserts row is DefaultCaps {
  if (row === undefined)
    throw new Damaged(
      'default_caps has lost its row (only_row = 1), and without the default caps nothing is credited: the database was changed from outside. Run verify, and restore a backup',
    )
}
