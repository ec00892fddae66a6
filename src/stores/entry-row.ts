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

/** Each by its name: to look them up by `fields` takes longer than to write them. */
export function entryValues(entry: Entry) {
  const { caps } = entry
  return [
    entry.partnerId,
    entry.tenantId,
    entry.seq,
    entry.epTransactionId,
    entry.orderId,
    entry.userEmail,
    entry.salt,
    entry.commitment,
    entry.rawAmount,
    entry.amountPerEp,
    entry.points,
    entry.note,
    entry.meta,
    entry.awardedAt,
    caps.perTx,
    caps.perPartnerDay,
    caps.perUserDay,
    entry.partnerDayTotal,
    entry.userDayTotal,
    entry.hash,
  ]
}

/** To read one. */
export const entrySelection = columns<EntryRow>(...fields)

export function entryOf({ perTx, perPartnerDay, perUserDay, ...row }: EntryRow): Entry {
  return { ...row, caps: { perTx, perPartnerDay, perUserDay } }
}
