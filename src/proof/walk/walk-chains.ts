import type { AccountId } from '../../rules/cursor.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { isBefore, rowByRow } from './in-order.ts'
import type { LedgerSnapshot } from '../ledger-snapshot.ts'
import type { ProvedCounts } from '../verification.ts'
import { Fault, name, isHash, verifyEntry, verifyHead } from '../verify-entry.ts'

/** Every chain re-walked, account after account, beside the heads. */
export async function walkChains(
  snapshot: LedgerSnapshot,
  counts: ProvedCounts,
  advance: (entriesRead: number) => void,
) {
  const heads = rowByRow(nonEmpty(snapshot.accounts()))
  let head = await heads.next()
  let at: Account = emptyAccount
  let id: AccountId | null = null

  async function closeAccount(): Promise<void> {
    if (id === null) return
    if (!head.done && isBefore(accountOrder(head.value), accountOrder(id))) throw headOnly(head.value)
    if (head.done || !sameAccount(head.value, id)) throw new Fault(`${name(id)}: has entries but no head`)
    verifyHead(head.value, at)
    counts.accounts++
    head = await heads.next()
  }

  for await (const chunk of snapshot.entries()) {
    for (const entry of chunk) {
      if (id === null || !sameAccount(entry, id)) {
        await closeAccount()
        id = { partnerId: entry.partnerId, tenantId: entry.tenantId }
        at = emptyAccount
      }
      at = verifyEntry(entry, at)
      counts.entries++
    }
    advance(chunk.length)
  }
  await closeAccount()
  if (!head.done) throw headOnly(head.value)
}

function headOnly(head: AccountId & Account): Fault {
  return new Fault(`${name(head)}: has a head at #${head.seq} but no entries`)
}

function sameAccount(a: AccountId, b: AccountId): boolean {
  return a.partnerId === b.partnerId && a.tenantId === b.tenantId
}

function accountOrder({ partnerId, tenantId }: AccountId): string[] {
  return [partnerId, tenantId]
}

/** A row that was made to be locked, and then not needed, equals an absent one. */
export async function* nonEmpty<T extends Account>(chunks: AsyncIterable<T[]>): AsyncGenerator<T[]> {
  for await (const chunk of chunks) yield chunk.filter((head) => !isEmpty(head))
}

/** Each by itself: a forged head may have a time, which the next award would get, and a negative day beside it. */
function isEmpty({ seq, headHash, awardedAt, day, dayPoints }: Account): boolean {
  const numbers = [seq, awardedAt, day, dayPoints]
  return numbers.every((number) => number === 0) && isHash(headHash, emptyAccount.headHash)
}
