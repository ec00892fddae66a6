import type { ReplaysOnRecord } from '../journal/journal-reader.ts'
import type { Entry } from '../rules/entry.ts'
import { isoTime } from '../rules/iso-time.ts'
import type { AnswerSources } from './sources.ts'

/** How often a credited order was sent again, as far as the journal has it. */
export type OrderReplays = {
  total: number
  /** There may have been more: some were left out, or the award is older than the records. */
  isMinimum: boolean
  /** Of the partner's replays since the award, of whatever order, some were left out. */
  someLeftOut: boolean
  /** Since when replays are on record; null: they are not. */
  since: string | null
  /** The first one first. */
  byKey: ReplaysByKey[]
  /** Why they cannot be looked for; null if they were. */
  problem: string | null
}

/** How many were sent with a key, and how long after the award the first and the last one came. */
type ReplaysByKey = {
  keyId: string
  replays: number
  firstAt: string
  firstAfterMs: number
  lastAt: string
  lastAfterMs: number
}

export async function orderReplays(
  { journal, fingerprintOf }: AnswerSources,
  { partnerId, orderId, awardedAt }: Pick<Entry, 'partnerId' | 'orderId' | 'awardedAt'>,
): Promise<OrderReplays> {
  let found: ReplaysOnRecord
  try {
    const orderFingerprint = await fingerprintOf(orderId)
    found = orderFingerprint === null ? nothingYet : await journal.replays({ partnerId, orderFingerprint })
  } catch (error) {
    return { ...answer(nothingYet, awardedAt), problem: (error as Error).message }
  }
  return answer(found, awardedAt)
}

const nothingYet: ReplaysOnRecord = { since: null, records: [], lastLeftOutAt: null }

function answer({ since, records, lastLeftOutAt }: ReplaysOnRecord, awardedAt: number): OrderReplays {
  const someLeftOut = lastLeftOutAt !== null && lastLeftOutAt >= awardedAt
  const keys = [...new Set(records.map(({ keyId }) => keyId))]
  return {
    total: records.reduce((sum, { replays }) => sum + replays, 0),
    isMinimum: someLeftOut || since === null || since > awardedAt,
    someLeftOut,
    since: since === null ? null : isoTime(since),
    byKey: keys.map((key) =>
      ofKey(
        records.filter(({ keyId }) => keyId === key),
        awardedAt,
      ),
    ),
    problem: null,
  }
}

/** `records`: of the processes that saw the key. */
function ofKey(records: ReplaysOnRecord['records'], awardedAt: number): ReplaysByKey {
  const firstAt = Math.min(...records.map((record) => record.firstAt))
  const lastAt = Math.max(...records.map((record) => record.lastAt))
  return {
    keyId: records[0]!.keyId,
    replays: records.reduce((sum, { replays }) => sum + replays, 0),
    firstAt: isoTime(firstAt, 'journal_replays'),
    // The clock of another process may be a little behind.
    firstAfterMs: Math.max(0, firstAt - awardedAt),
    lastAt: isoTime(lastAt, 'journal_replays'),
    lastAfterMs: Math.max(0, lastAt - awardedAt),
  }
}
