import type { Caps } from '../rules/caps.ts'
import type { Entry } from '../rules/entry.ts'
import { columnOf, columns } from './columns.ts'

/** An entry as a row: flat, the caps among the other columns. */
export type EntryRow = Omit<Entry, 'caps'> & Caps

const fields = [
  'partnerId',
  'tenantId',
  'seq',
  'epTransactionId',
  'orderId',
  'userEmail',
  'salt',
  'commitment',
  'rawAmount',
  'amountPerEp',
  'points',
  'note',
  'meta',
  'awardedAt',
  'perTx',
  'perPartnerDay',
  'perUserDay',
  'partnerDayTotal',
  'userDayTotal',
  'hash',
] as const satisfies (keyof EntryRow)[]

/** To write an entry: its columns, and its values in the same order. */
export const entryColumns = fields.map(columnOf)

export function entryValues(entry: Entry) {
  const row: EntryRow = { ...entry, ...entry.caps }
  return fields.map((field) => row[field])
}

/** To read one. */
export const entrySelection = columns<EntryRow>(...fields)

export function entryOf({ perTx, perPartnerDay, perUserDay, ...row }: EntryRow): Entry {
  return { ...row, caps: { perTx, perPartnerDay, perUserDay } }
}
