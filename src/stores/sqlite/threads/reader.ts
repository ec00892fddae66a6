import { workerData } from 'node:worker_threads'
import type { PageQuery } from '../../../ledger/ledger.ts'
import { type HistoryEntry, historyPage } from '../../../rules/history-page.ts'
import { prepareRowArrays } from '../../../shortcuts/row-arrays.ts'
import { columns } from '../../columns.ts'
import { dayUsageQuery } from '../../usage-query.ts'
import type { Database } from '../database.ts'
import { openSameFile, type SameFile } from '../file/same-file.ts'
import { prepareNumbered } from '../numbered-parameters.ts'
import { readable } from '../stored-values.ts'
import { answerQuestions } from './thread.ts'

/**
 * The reader's thread: it reads pages of history and writes them as the JSON that is sent, so that a hundred rows
 * never block the event loop of the main thread.
 */
const file = workerData as SameFile
let opened: { database: Database; page(query: PageQuery): string; usage(day: number): string } | null = null

/** More would let the main thread idle until a group is ready; fewer would wake it more often. */
const pagesAtOnceMax = 16

/** A page of history, or how full the daily caps are. */
export type ReaderQuestion = PageQuery | { usageOn: number }

answerQuestions<ReaderQuestion, string>(
  (question) => {
    opened ??= openPages() // if this fails, the next request tries again
    return 'usageOn' in question ? opened.usage(question.usageOn) : opened.page(question)
  },
  { close: () => opened?.database.close(), repliesMax: pagesAtOnceMax },
)

function openPages(): NonNullable<typeof opened> {
  const database = openSameFile(file, { readOnly: true })
  const select = database.prepare(`
    SELECT ${columns<HistoryEntry>('seq', 'epTransactionId', 'orderId', 'userEmail', 'points', 'note', 'awardedAt')}
    FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`)
  const read = prepareRowArrays(select, entryOf)

  function page({ partnerId, tenantId, beforeSeq, limit }: PageQuery): string {
    const from = beforeSeq ?? Number.MAX_SAFE_INTEGER
    const entries = readable(() => read(partnerId, tenantId, from, limit + 1), 'entries')
    return JSON.stringify(historyPage({ partnerId, tenantId }, limit, entries))
  }
  const selectUsage = prepareNumbered(database, dayUsageQuery)
  const usage = (day: number) => JSON.stringify(selectUsage.all(day))
  return { database, page, usage }
}

type HistoryRow = [number, string, string, string, number, string | null, number]

function entryOf(row: HistoryRow): HistoryEntry {
  const [seq, epTransactionId, orderId, userEmail, points, note, awardedAt] = row
  return { seq, epTransactionId, orderId, userEmail, points, note, awardedAt }
}
