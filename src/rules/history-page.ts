import { type AccountId, writeCursor } from './cursor.ts'
import type { Entry } from './entry.ts'
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
    items: shown.map(({ epTransactionId, orderId, userEmail, points, note, awardedAt }) => ({
      epTransactionId,
      orderId,
      userEmail,
      points,
      note,
      awardedAt: isoTime(awardedAt),
    })),
    nextCursor: last === undefined ? null : writeCursor(account, last.seq),
  }
}
