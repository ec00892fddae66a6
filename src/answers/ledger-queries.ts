import type { DefaultCaps, Key, Partner, Tenant } from '../partners/partner-store.ts'
import type { AuditRow } from '../rules/audit-hash.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { Account, Entry } from '../rules/entry.ts'
import type { EntrySums } from '../rules/entry-sums.ts'
import type { OrderId } from '../rules/facts-needed.ts'

/** A partner without what its keys are checked with. */
export type ShownPartner = Omit<Partner, 'keys'> & { keys: Omit<Key, 'apiKeyHash' | 'sealedSecret'>[] }

/** One row that was changed from outside and cannot be read hides no other: `damaged` has what is known of it. */
export type Listed<Row, Known> = { sound: Row[]; damaged: (Known & { problem: string })[] }
export type KnownPartner = Pick<Partner, 'partnerId' | 'name' | 'status'>
export type KnownTenant = Pick<Tenant, 'tenantId' | 'mode'>

/** Vietnam days, both included. */
export type Period = { from: number; to: number }

/** Accounts of this partner, of this tenant, or of both. */
export type AccountFilter = { partnerId?: string | undefined; tenantId?: string | undefined }

/** Entries of one account, both ends included. */
export type SeqRange = AccountId & { firstSeq: number; lastSeq: number }

export type EntryPlace = AccountId & { seq: number }

/** The entries of one account and Vietnam day, and what they add up to. */
export type AccountDay = SeqRange & EntrySums & { day: number }

export type UserTotal = { userEmail: string; points: number }

export type UserId = { tenantId: string; userEmail: string }

/** `subjects`: `partner acme`, `tenant t1`, `defaults`; all of them if absent. */
export type AuditFilter = { since?: number | undefined; subjects?: string[] | undefined }

/** Told by a search that has to read more than an index. */
export type Slow = {
  /** In a sentence: what is missing, and what is read instead. */
  say(why: string): void
  /** From 0 to 1. */
  show(done: number): void
}

/**
 * The ledger and the settings, as operators' questions read them. Nothing is written. Every statement is a short read of
 * its own, because a read that stays open holds back the database's cleaning up: a long answer is put together from
 * several statements, and awards that arrive meanwhile may or may not be part of it.
 */
export interface LedgerQueries {
  /** Ordered by their ids, like the tenants. */
  partners(): Promise<Listed<ShownPartner, KnownPartner>>
  /** Undefined if there is none. */
  partner(partnerId: string): Promise<ShownPartner | undefined>
  tenants(): Promise<Listed<Tenant, KnownTenant>>
  defaultCaps(): Promise<DefaultCaps>
  /** In the order of the trail. */
  auditRows(filter: AuditFilter): AsyncIterable<AuditRow[]>

  entryOfOrder(order: OrderId): Promise<Entry | undefined>
  /** Of one partner, or of each partner that has this order. */
  entriesOfOrder(orderId: string, partnerId?: string): Promise<Entry[]>
  /** At most one, unless somebody has tampered with the ledger. */
  entriesOfId(epTransactionId: string, slow: Slow): Promise<Entry[]>
  /** Newest first, in one tenant or in all. */
  entriesOfAddress(
    address: AccountFilter & { userEmail: string },
    limit: number,
    slow: Slow,
  ): Promise<Entry[]>
  entryAt(place: EntryPlace): Promise<Entry | undefined>
  /** The same for many, in the order of the places. */
  entriesAt(places: EntryPlace[]): Promise<(Entry | undefined)[]>
  /** In the order of their seq. */
  entriesIn(range: SeqRange): AsyncIterable<Entry[]>
  /** Accounts that have had an award, with the heads of their chains. */
  accounts(filter: AccountFilter): Promise<(AccountId & Account)[]>
  /** Each account and day with an award in the period once, ordered by partner, tenant, day. */
  accountDays(filter: AccountFilter & Period): AsyncIterable<AccountDay[]>

  /** Of the users in these entries, which are of one day, those with the highest total of the day in each tenant. */
  highestUserDays(ranges: SeqRange[], limit: number): Promise<ReadonlyMap<string, UserTotal[]>>
  /** The days on which the user got EP, newest first. */
  userDays(user: UserId): Promise<{ day: number; points: number }[]>
  close(): Promise<void>
}
