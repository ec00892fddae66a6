import { Damaged } from '../../ledger/errors.ts'
import { Fault, name, verifyEntry, verifyHead } from '../../proof/verify-entry.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import type { AccountRow } from '../snapshot-queries.ts'

/**
 * Passes on the entries of accounts, and throws unless they are, account after account, the chains that lead to these
 * heads. They were proved before, but are read once more: they may have been changed in between.
 */
export async function* checkedAgainstHeads(
  chunks: AsyncIterable<EntryRow[]>,
  heads: AccountRow[],
): AsyncGenerator<EntryRow[]> {
  const expected = heads.filter(({ seq }) => seq > 0)[Symbol.iterator]()
  let head: AccountRow | undefined = expected.next().value
  let at: Account = emptyAccount

  function pass(row: EntryRow): void {
    if (head === undefined || row.partnerId !== head.partnerId || row.tenantId !== head.tenantId)
      throw new Fault(`${name(row)}: entries are missing, or are not where they were`)
    at = verifyEntry(entryOf(row), at)
    if (at.seq < head.seq) return
    verifyHead(head, at)
    head = expected.next().value
    at = emptyAccount
  }
  try {
    for await (const rows of chunks) {
      for (const row of rows) pass(row)
      if (rows.length > 0) yield rows
    }
    if (head !== undefined)
      throw new Fault(`${name(head)}: ends at #${at.seq} where its head says #${head.seq}`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Damaged(`the ledger was changed while it was exported: ${error.message}`, { cause: error })
  }
}
