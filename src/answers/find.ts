import type { Refusal } from '../journal/journal-batch.ts'
import type { JournalReader } from '../journal/journal-reader.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { Entry } from '../rules/entry.ts'
import { sumsOfEntry } from '../rules/entry-sums.ts'
import { isoTime } from '../rules/iso-time.ts'
import type { TenantMode } from '../rules/tenant-mode.ts'
import { type FindKind, kindsOf } from './find-kinds.ts'
import type { LedgerQueries, Slow } from './ledger-queries.ts'
import { namedPartner, namedTenant } from './named.ts'
import { readModes } from './shown-settings.ts'
import { type ShownRefusal, shownRefusal } from './shown-refusal.ts'

type FindQuestion = {
  text: string
  as?: FindKind | undefined
  partnerId?: string | undefined
  tenantId?: string | undefined
  /** For those who may not see personal data: the text is not looked for as an address. */
  withoutAddresses?: boolean
}

/** An award in the ledger, and as what the text was found in it. */
export type FoundAward = AccountId & {
  foundAs: FindKind[]
  mode: TenantMode
  seq: number
  epTransactionId: string
  orderId: string
  userEmail: string
  points: number
  rawAmount: number
  amountPerEp: number
  remainder: number
  note: string | null
  awardedAt: string
}

/** A request that was not carried out, as the journal has it. */
type FoundRefusal = ShownRefusal & { foundAs: FindKind[] }

export type FindAnswer = {
  text: string
  /** Every kind that the text can be, or the one that was asked for. */
  searchedAs: FindKind[]
  /** Newest first. */
  credited: FoundAward[]
  hasMoreCredited: boolean
  /** Newest first. */
  refused: FoundRefusal[]
  hasMoreRefused: boolean
  /** Since when refusals are on record; null: there are none. */
  refusalsSince: string | null
  /** What could not be searched, and why. */
  notSearched: string[]
}

type Sources = {
  queries: LedgerQueries
  journal: JournalReader
  /** Null: the journal has no orders. Throws if the master key is missing or another one. */
  fingerprintOf(orderId: string): Promise<string | null>
}

/** More are only mentioned. */
const shownMax = 20

/** What is known about an order, an address, a transaction or a request: awards from the ledger, refusals from the journal. */
export async function find(sources: Sources, question: FindQuestion, slow: Slow): Promise<FindAnswer> {
  const { queries } = sources
  const { text, partnerId, tenantId } = question
  const kinds = kindsOf(text, question.as)
  if (question.withoutAddresses) kinds.delete('email')
  if (partnerId !== undefined) await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const [awards, { refusals, since, notSearched }, modes] = await Promise.all([
    searchLedger(queries, kinds, question, slow),
    searchJournal(sources, kinds, question),
    readModes(queries),
  ])
  return {
    text,
    searchedAs: [...kinds.keys()],
    credited: awards.slice(0, shownMax).map(([entry, foundAs]) => ({
      foundAs,
      mode: modes.get(entry.tenantId) ?? 'live',
      ...shownEntry(entry),
    })),
    hasMoreCredited: awards.length > shownMax,
    refused: refusals.slice(0, shownMax).map(([refusal, foundAs]) => ({ foundAs, ...shownRefusal(refusal) })),
    hasMoreRefused: refusals.length > shownMax,
    refusalsSince: since === null ? null : isoTime(since),
    notSearched,
  }
}

/** By a name, because one may be found in several ways: its orderId may be the user's address. */
type Found<T> = Map<string, [what: T, foundAs: FindKind[]]>

function addTo<T>(found: Found<T>, name: string, what: T, kind: FindKind): void {
  found.set(name, [what, [...(found.get(name)?.[1] ?? []), kind]])
}

async function searchLedger(
  queries: LedgerQueries,
  kinds: Map<FindKind, string>,
  { partnerId, tenantId }: FindQuestion,
  slow: Slow,
): Promise<[Entry, FindKind[]][]> {
  const found: Found<Entry> = new Map()
  const add = (kind: FindKind, entries: Entry[]) => {
    for (const entry of entries) {
      if (partnerId !== undefined && entry.partnerId !== partnerId) continue
      if (tenantId !== undefined && entry.tenantId !== tenantId) continue
      addTo(found, `${entry.partnerId} ${entry.tenantId} ${entry.seq}`, entry, kind)
    }
  }
  const orderId = kinds.get('order')
  const id = kinds.get('id')
  const userEmail = kinds.get('email')
  const [ofOrder, ofId, ofAddress] = await Promise.all([
    orderId === undefined ? [] : queries.entriesOfOrder(orderId, partnerId),
    id === undefined ? [] : queries.entriesOfId(id, slow),
    userEmail === undefined
      ? []
      : queries.entriesOfAddress({ userEmail, partnerId, tenantId }, shownMax + 1, slow),
  ])
  add('order', ofOrder)
  add('id', ofId)
  add('email', ofAddress)
  return [...found.values()].sort(([one], [other]) => other.awardedAt - one.awardedAt || other.seq - one.seq)
}

type KnownToJournal = { refusals: [Refusal, FindKind[]][]; since: number | null; notSearched: string[] }

/** The ledger's answer is worth having without the journal's. */
async function searchJournal(
  sources: Sources,
  kinds: Map<FindKind, string>,
  question: FindQuestion,
): Promise<KnownToJournal> {
  try {
    return await readJournal(sources, kinds, question)
  } catch (error) {
    return { refusals: [], since: null, notSearched: [`refusals, because ${(error as Error).message}`] }
  }
}

async function readJournal(
  { journal, fingerprintOf }: Sources,
  kinds: Map<FindKind, string>,
  { partnerId, tenantId }: FindQuestion,
): Promise<KnownToJournal> {
  const found: Found<Refusal> = new Map()
  const notSearched: string[] = []
  async function search(kind: FindKind, by: { requestId: string } | { orderFingerprint: string }) {
    const query = { from: 0, partnerId, tenantId, limit: shownMax + 1, ...by }
    for (const refusal of await journal.refusals(query))
      addTo(found, `${refusal.at} ${refusal.partnerId} ${refusal.requestId}`, refusal, kind)
  }
  const orderId = kinds.get('order')
  if (orderId !== undefined) {
    const fingerprint = await fingerprintOf(orderId).catch((error: Error) => {
      notSearched.push(`refusals of an order, because the journal's key cannot be opened: ${error.message}`)
      return null
    })
    if (fingerprint !== null) await search('order', { orderFingerprint: fingerprint })
  }
  const requestId = kinds.get('request')
  if (requestId !== undefined) await search('request', { requestId })
  const { refusals: since } = await journal.begin()
  const newestFirst = [...found.values()].sort(([one], [other]) => other.at - one.at)
  return { refusals: newestFirst, since, notSearched }
}

function shownEntry(entry: Entry): Omit<FoundAward, 'foundAs' | 'mode'> {
  return {
    partnerId: entry.partnerId,
    tenantId: entry.tenantId,
    seq: entry.seq,
    epTransactionId: entry.epTransactionId,
    orderId: entry.orderId,
    userEmail: entry.userEmail,
    points: entry.points,
    rawAmount: entry.rawAmount,
    amountPerEp: entry.amountPerEp,
    remainder: sumsOfEntry(entry).remainder,
    note: entry.note,
    awardedAt: isoTime(entry.awardedAt, 'entries'),
  }
}
