import { workerData } from 'node:worker_threads'
import type { PageQuery } from '../../ledger/ledger-store.ts'
import { type HistoryEntry, historyPage } from '../../rules/history-page.ts'
import { columns } from '../columns.ts'
import { asFault, type Database, openDatabase } from './database.ts'
import { assertSameFile } from './file-identity.ts'
import { answerQuestions } from './thread.ts'

/**
 * The reader's thread: it reads pages of history and writes them as the JSON that is answered, so that a hundred rows
 * never stop the event loop of the doors.
 */
export type ReaderData = { path: string; file: string }

/** More would let the doors idle until a group is ready; fewer would wake them more often. */
const pagesAtOnceMax = 16

const { path, file } = workerData as ReaderData
let opened: { database: Database; page(query: PageQuery): string } | null = null

answerQuestions<PageQuery, string>(
  (query) => {
    opened ??= openPages() // where it fails, the next question tries again
    return opened.page(query)
  },
  { close: () => opened?.database.close(), repliesMax: pagesAtOnceMax },
)

type HistoryRow = [number, string, string, string, number, string | null, number]

function openPages(): NonNullable<typeof opened> {
  const database = openForReading()
  const select = database.prepare(`
    SELECT ${columns<HistoryEntry>('seq', 'epTransactionId', 'orderId', 'userEmail', 'points', 'note', 'awardedAt')}
    FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`)
  // SQLite hands over a row faster as an array, and an object made here is faster to read.
  select.setReturnArrays(true)

  function page({ partnerId, tenantId, beforeSeq, limit }: PageQuery): string {
    const rows = select.all(partnerId, tenantId, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit + 1)
    const entries = (rows as unknown as HistoryRow[]).map(
      ([seq, epTransactionId, orderId, userEmail, points, note, awardedAt]) => ({
        seq,
        epTransactionId,
        orderId,
        userEmail,
        points,
        note,
        awardedAt,
      }),
    )
    return JSON.stringify(historyPage({ partnerId, tenantId }, limit, entries))
  }
  return { database, page }
}

function openForReading(): Database {
  assertSameFile(path, file)
  try {
    return openDatabase(path, { readOnly: true })
  } catch (error) {
    throw asFault((error as Error).cause)
  }
}
