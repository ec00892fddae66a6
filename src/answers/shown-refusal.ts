import type { Refusal } from '../journal/journal-batch.ts'
import { isoTime } from '../rules/iso-time.ts'

/** A request that was not carried out, as the journal has it, without how it names the order. */
export type ShownRefusal = Omit<Refusal, 'at' | 'orderFingerprint'> & { at: string }

export function shownRefusal({ at, orderFingerprint: _, ...refusal }: Refusal): ShownRefusal {
  return { at: isoTime(at, 'journal_refusals'), ...refusal }
}
