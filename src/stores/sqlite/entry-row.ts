import type { Entry } from '../../rules/entry.ts'
import type { Row } from './database.ts'

/** The columns of an entry, in the order in which `entryValues` gives them. */
export const entryColumns = [
  'partner_id',
  'tenant_id',
  'seq',
  'ep_transaction_id',
  'order_id',
  'user_email',
  'salt',
  'commitment',
  'raw_amount',
  'amount_per_ep',
  'points',
  'note',
  'meta',
  'awarded_at',
  'per_tx',
  'per_partner_day',
  'per_user_day',
  'partner_day_total',
  'user_day_total',
  'hash',
]

export function entryValues(entry: Entry): (string | number | Uint8Array | null)[] {
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
    entry.caps.perTx,
    entry.caps.perPartnerDay,
    entry.caps.perUserDay,
    entry.partnerDayTotal,
    entry.userDayTotal,
    entry.hash,
  ]
}

export function entryFromRow(row: Row): Entry {
  return {
    partnerId: row.partner_id as string,
    tenantId: row.tenant_id as string,
    seq: row.seq as number,
    epTransactionId: row.ep_transaction_id as string,
    orderId: row.order_id as string,
    userEmail: row.user_email as string,
    salt: row.salt as Uint8Array | null,
    commitment: row.commitment as Uint8Array | null,
    rawAmount: row.raw_amount as number,
    amountPerEp: row.amount_per_ep as number,
    points: row.points as number,
    note: row.note as string | null,
    meta: row.meta as string | null,
    awardedAt: row.awarded_at as number,
    caps: {
      perTx: row.per_tx as number,
      perPartnerDay: row.per_partner_day as number,
      perUserDay: row.per_user_day as number,
    },
    partnerDayTotal: row.partner_day_total as number,
    userDayTotal: row.user_day_total as number,
    hash: row.hash as Uint8Array,
  }
}
