import type { OrderId } from '../rules/facts-needed.ts'
import { isoTime } from '../rules/iso-time.ts'
import { type ShownRefusal, shownRefusal } from './shown-refusal.ts'
import type { AnswerSources } from './sources.ts'

/** What the journal has of an order. It is complete for as long as refusals are kept, and up to a quota per hour. */
export type OrderInJournal = {
  /** Newest first. */
  refusals: ShownRefusal[]
  /** The oldest refusal on record, of any order; null: none is. */
  since: string | null
  /** Why the order cannot be looked for; null if it was. */
  problem: string | null
}

const refusalsMax = 50

export async function orderInJournal(
  { journal, fingerprintOf }: AnswerSources,
  { partnerId, orderId }: OrderId,
): Promise<OrderInJournal> {
  const begin = await journal.begin()
  const since = begin.refusals === null ? null : isoTime(begin.refusals)
  let fingerprint: string | null
  try {
    fingerprint = await fingerprintOf(orderId)
  } catch (error) {
    return { refusals: [], since, problem: (error as Error).message }
  }
  const rows =
    fingerprint === null
      ? []
      : await journal.refusals({ from: 0, partnerId, orderFingerprint: fingerprint, limit: refusalsMax })
  return { refusals: rows.map(shownRefusal), since, problem: null }
}
