import type { Entry } from '../../../rules/entry.ts'
import { prepareRowArrays } from '../../../shortcuts/row-arrays.ts'
import { asUnavailable, type Database } from '../database.ts'
import { readable } from '../stored-values.ts'

/** What the read model takes of an entry. Its place is its rowid: entries get them in the order of their commits. */
export type FollowedEntry = { place: number } & Pick<
  Entry,
  | 'partnerId'
  | 'tenantId'
  | 'seq'
  | 'epTransactionId'
  | 'userEmail'
  | 'rawAmount'
  | 'amountPerEp'
  | 'points'
  | 'awardedAt'
>

/** The ledger, as the read model sees it. Each call is one short read: a long one would let the ledger's log grow. */
export type FollowedLedger = {
  /** The entries behind this place, in the order of their commits. */
  entriesAfter(place: number, limit: number): FollowedEntry[]
  hashAt(place: number): Uint8Array | null
  /** Random bytes that only the ledger has, and other ones if it was imported. Null while it is empty. */
  secret(): Uint8Array | null
}

export function followLedger(ledger: Database): FollowedLedger {
  const after = ledger.prepare(`
    SELECT rowid, partner_id, tenant_id, seq, ep_transaction_id, user_email, raw_amount, amount_per_ep, points, awarded_at
    FROM entries WHERE rowid > ? ORDER BY rowid LIMIT ?`)
  const read = prepareRowArrays(after, entryOf)
  const hash = ledger.prepare('SELECT hash FROM entries WHERE rowid = ?')
  const first = ledger.prepare(
    'SELECT coalesce(salt, commitment) AS secret FROM entries ORDER BY rowid LIMIT 1',
  )
  const importNumber = ledger.prepare('PRAGMA user_version')
  function secret(): Uint8Array | null {
    const bytes = first.get()?.secret as Uint8Array | undefined
    const number = importNumber.get()!.user_version as number
    if (bytes === undefined || number === 0) return bytes ?? null
    return Buffer.concat([bytes, Buffer.from(String(number))])
  }
  return {
    entriesAfter: (place, limit) => ofLedger(() => read(place, limit)),
    hashAt: (place) => ofLedger(() => (hash.get(place)?.hash as Uint8Array | undefined) ?? null),
    secret: () => ofLedger(secret),
  }
}

/** An error of the ledger must not look like one of the operator file, which would be moved aside. */
export function ofLedger<T>(read: () => T): T {
  try {
    return readable(read)
  } catch (error) {
    throw asUnavailable(error)
  }
}

type EntryColumns = [number, string, string, number, string, string, number, number, number, number]

function entryOf(row: EntryColumns): FollowedEntry {
  const [
    place,
    partnerId,
    tenantId,
    seq,
    epTransactionId,
    userEmail,
    rawAmount,
    amountPerEp,
    points,
    awardedAt,
  ] = row
  return {
    place,
    partnerId,
    tenantId,
    seq,
    epTransactionId,
    userEmail,
    rawAmount,
    amountPerEp,
    points,
    awardedAt,
  }
}
