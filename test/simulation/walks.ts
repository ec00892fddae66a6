import { type AccountId, readCursor } from '../../src/rules/cursor.ts'
import type { HistoryItem, HistoryPage } from '../../src/rules/history-page.ts'
import type { Deployment } from './deployment.ts'
import type { Credit, Model } from './model.ts'

/** What a walk through a history showed, and what it had to show. */
export type Walked = { seen: HistoryItem[]; expected: HistoryItem[] }

type WalkOptions = { limit: number; node: number; meanwhile(): Promise<void> }
type Bookmark = { account: AccountId; cursor: string /** Of the last award before it. */; lastShown: string }

const bookmarksMax = 50

/** Walks through histories, page by page with the cursors as text, and the places where they had stopped. */
export class Walks {
  readonly #deployment: Deployment
  readonly #model: Model
  readonly #bookmarks: Bookmark[] = []

  constructor(deployment: Deployment, model: Model) {
    this.#deployment = deployment
    this.#model = model
  }

  /**
   * Awards may arrive while each page is read. What was there before is shown, every one once, newest first; of the
   * new ones those that the first page had already; nothing slips in behind it.
   */
  async walk(account: AccountId, { limit, node, meanwhile }: WalkOptions): Promise<Walked> {
    const before = this.#model.history(account).length
    const seen: HistoryItem[] = []
    let cursor: string | null = null
    do {
      const reading = this.#page(account, cursor, limit, node)
      const [page] = await Promise.all([reading, meanwhile()])
      seen.push(...page.items)
      cursor = page.nextCursor
      if (cursor !== null) this.#remember({ account, cursor, lastShown: page.items.at(-1)!.epTransactionId })
    } while (cursor !== null)
    const all = this.#model.history(account)
    const newOnes = Math.min(Math.max(seen.length - before, 0), all.length - before)
    return { seen, expected: items(all.slice(0, before + newOnes)) }
  }

  /** From an earlier cursor on, exactly what is older is shown, whatever has been added since. */
  async readOn(from: { cursor: number; limit: number; node: number }): Promise<Walked> {
    const bookmark = this.#bookmarks[from.cursor % Math.max(1, this.#bookmarks.length)]
    if (bookmark === undefined) return { seen: [], expected: [] }
    const { account, lastShown } = bookmark
    const seen: HistoryItem[] = []
    let cursor: string | null = bookmark.cursor
    do {
      const page: HistoryPage = await this.#page(account, cursor, from.limit, from.node)
      seen.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    const all = this.#model.history(account)
    return {
      seen,
      expected: items(
        all.slice(
          0,
          all.findIndex(({ id }) => id === lastShown),
        ),
      ),
    }
  }

  async #page(account: AccountId, cursor: string | null, limit: number, node: number): Promise<HistoryPage> {
    const { ledger } = this.#deployment.nodes[node]!.store
    const beforeSeq = cursor === null ? null : readCursor(account, cursor)
    if (cursor !== null && beforeSeq === null) throw new Error(`the cursor ${cursor} cannot be read`)
    return JSON.parse(await ledger.historyPage({ ...account, beforeSeq, limit }))
  }

  #remember(bookmark: Bookmark): void {
    if (this.#bookmarks.length === bookmarksMax) this.#bookmarks.shift()
    this.#bookmarks.push(bookmark)
  }
}

/** Newest first, as a partner sees them. */
function items(credits: Credit[]): HistoryItem[] {
  return credits.toReversed().map(({ id, orderId, userEmail, points, note, awardedAt }) => ({
    epTransactionId: id,
    orderId,
    userEmail,
    points,
    note,
    awardedAt: new Date(awardedAt).toISOString(),
  }))
}
