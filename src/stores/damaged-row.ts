import { Damaged, Unavailable } from '../ledger/errors.ts'
import type { DefaultCaps } from '../partners/partner-store.ts'

/** No value of ours is beyond 2^53, so somebody changed the row. The text leads to it: table and value. */
export function damagedRow(table: string | null, value: string): Damaged {
  return new Damaged(
    `a row${table === null ? '' : ` of ${table}`} cannot be read: it holds ${value}, more than any number of ours. The database was changed from outside: find the row by this value, and correct it from a backup`,
  )
}

const defaultCapsLost =
  'default_caps has lost its row (only_row = 1), and without the default caps nothing is credited: the database was changed from outside. Run verify, and restore a backup'

/** Without this row, awards are refused, except where all caps are set by the partner and the tenant. */
export function assertDefaultCaps(row: DefaultCaps | undefined): asserts row is DefaultCaps {
  if (row === undefined) throw new Damaged(defaultCapsLost)
}

/** The log and the operator's readyz say what is wrong. */
const forPartners = 'the database cannot be used at the moment'

/** For the awards that need the row. */
export function noDefaultCaps(): Unavailable {
  return new Unavailable(defaultCapsLost, { forPartners })
}

/** For a server that runs: without default caps that can be read, it is not ready. */
export async function assertDefaultCapsReadable(read: () => Promise<DefaultCaps>): Promise<void> {
  await read().catch((error) => {
    throw error instanceof Damaged ? new Unavailable(error.message, { forPartners, cause: error }) : error
  })
}
