import type { KeyUse } from '../journal/journal-batch.ts'
import type { JournalReader } from '../journal/journal-reader.ts'
import { isoTime } from '../rules/iso-time.ts'

/** When a key was last used, and how far the caller's clock was ahead of ours; null: not on record. */
export type LastUse = { lastUsedAt: string | null; clockDifferenceMs: number | null }

/** By keyId. Without a journal that can be read nothing is on record: the partner itself can still be shown. */
export async function lastUses(
  journal: Pick<JournalReader, 'keyUses'>,
  partnerId: string,
  now: number,
): Promise<(keyId: string) => LastUse> {
  const uses = await journal.keyUses(now, partnerId).catch((): KeyUse[] => [])
  return (keyId) => {
    const use = uses.find((other) => other.keyId === keyId)
    if (use === undefined) return { lastUsedAt: null, clockDifferenceMs: null }
    return { lastUsedAt: isoTime(use.at, 'journal_key_uses'), clockDifferenceMs: use.clockDifferenceMs }
  }
}
