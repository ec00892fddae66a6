import { type AccountId, writeCursor } from './cursor.ts'
import type { Entry } from './entry.ts'
import { isTime, NotATime } from './iso-time.ts'
import { createIsoTimes } from '../shortcuts/iso-time.ts'

export type HistoryEntry = Pick<
  Entry,
  'seq' | 'epTransactionId' | 'orderId' | 'userEmail' | 'points' | 'note' | 'awardedAt'
>

export type HistoryPage = { tenantId: string; items: HistoryItem[]; nextCursor: string | null }

export type HistoryItem = Omit<HistoryEntry, 'seq' | 'awardedAt'> & { awardedAt: string }

/** `entries` are newest first, up to limit + 1 of them. The extra one means that there is a next page. */
export function historyPage(account: AccountId, limit: number, entries: HistoryEntry[]): HistoryPage {
  const shown = entries.slice(0, limit)
  const isoTime = createIsoTimes()
  const last = entries.length > limit ? shown.at(-1) : undefined
  return {
    tenantId: account.tenantId,
    items: shown.map(({ seq, epTransactionId, orderId, userEmail, points, note, awardedAt }) => {
      // The partner gets a 500. The log leads operators to the entry.
      if (!isTime(awardedAt)) throw notATime(account, seq, awardedAt)
      return { epTransactionId, orderId, userEmail, points, note, awardedAt: isoTime(awardedAt) }
    }),
    nextCursor: last === undefined ? null : writeCursor(account, last.seq),
  }
}

function notATime({ partnerId, tenantId }: AccountId, seq: number, awardedAt: number): NotATime {
  return new NotATime(`the time ${awardedAt}`, 'entries', ` (${partnerId}/${tenantId}, seq ${seq})`)
}
