import type { LedgerSnapshot } from '../../src/proof/ledger-snapshot.ts'
import type { Entry } from '../../src/rules/entry.ts'
import type { SignedAward } from './fuzz-request.ts'

/**
 * What must be in the ledger: exactly the awards that got 202, field by field as JSON.parse reads
 * them, and any or none of those whose connection ended before a response.
 */
export class ExpectedLedger {
  readonly #credited = new Map<string, string>()
  /** Several awards may have one orderId: at most one of them is credited. */
  readonly #unknown = new Map<string, Fields[]>()
  readonly #duplicates = new Map<string, string>()
  /** Awards that were credited although their connection had ended. */
  unheard = 0

  get size(): number {
    return this.#credited.size
  }

  /** A 202: returns what is wrong with it. */
  credited(
    award: SignedAward,
    answer: { epTransactionId: string; orderId: string; points: number },
  ): string | null {
    const fields = fieldsOf(award.body)
    if (typeof fields === 'string') return fields
    if (answer.orderId !== fields.orderId) return 'credited with another orderId'
    if (answer.points !== Math.floor(fields.amount / 1000))
      return `credited ${answer.points} for ${fields.amount}`
    const order = orderOf(award.partnerId, fields.orderId)
    const line = lineOf(award.partnerId, answer.epTransactionId, fields)
    if (this.#credited.has(order)) return 'credited twice'
    this.#credited.set(order, line)
    return null
  }

  /** A 200 DUPLICATE: the response to its original may come later, so it is compared at the next check. */
  duplicate(award: SignedAward, answer: { epTransactionId: string }): string | null {
    const fields = fieldsOf(award.body)
    if (typeof fields === 'string') return fields
    this.#duplicates.set(orderOf(award.partnerId, fields.orderId), answer.epTransactionId)
    return null
  }

  unknown(award: SignedAward): void {
    const fields = fieldsOf(award.body)
    if (typeof fields === 'string') return
    const order = orderOf(award.partnerId, fields.orderId)
    this.#unknown.set(order, [...(this.#unknown.get(order) ?? []), fields])
  }

  /** Entries without a 202, or with another one, and 202s without an entry. */
  async differences(snapshot: LedgerSnapshot): Promise<string[]> {
    const found: string[] = []
    let known = 0
    for await (const entries of snapshot.entries()) {
      for (const entry of entries) {
        const order = orderOf(entry.partnerId, entry.orderId)
        this.#adopt(order, entry)
        const expected = this.#credited.get(order)
        if (expected === undefined) found.push(`the ledger has ${order}, which was never answered with 202`)
        else if (expected !== lineOfEntry(entry))
          found.push(`the ledger has ${order} otherwise than it was sent`)
        else known++
      }
    }
    if (known < this.#credited.size)
      found.push(`${this.#credited.size - known} awards with 202 are not in the ledger as sent`)
    for (const [order, id] of this.#duplicates) {
      const original = this.#credited.get(order)
      if (original === undefined) found.push(`${order} was called a duplicate of nothing`)
      else if (!original.startsWith(JSON.stringify([id]).slice(0, -1)))
        found.push(`${order} was called a duplicate of another`)
    }
    this.#duplicates.clear()
    return found
  }

  #adopt(order: string, entry: Entry): void {
    if (this.#credited.has(order)) return
    const line = lineOfEntry(entry)
    const unanswered = this.#unknown.get(order) ?? []
    const isOneOfThem = unanswered.some(
      (fields) => lineOf(entry.partnerId, entry.epTransactionId, fields) === line,
    )
    if (!isOneOfThem) return
    this.#credited.set(order, line)
    this.unheard++
  }
}

type Fields = {
  tenantId: string
  orderId: string
  userEmail: string
  amount: number
  note: string | null
  meta: unknown
}

const names = ['tenantId', 'orderId', 'userEmail', 'amount', 'note', 'meta']

/** The award as an ordinary JSON reader has it; or why it should not have been accepted. */
function fieldsOf(body: Buffer): Fields | string {
  let fields: Fields
  try {
    fields = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return 'accepted what is no JSON'
  }
  if (fields === null || typeof fields !== 'object') return 'accepted what is no object'
  const { tenantId, orderId, userEmail, amount, note = null, meta = null } = fields
  if (Object.keys(fields).some((name) => !names.includes(name))) return 'accepted an unknown field'
  if (typeof tenantId !== 'string' || typeof orderId !== 'string' || typeof userEmail !== 'string')
    return 'accepted what is no string'
  if (orderId === '' || [...orderId].length > 200) return 'accepted an orderId of a wrong length'
  if (!Number.isSafeInteger(amount) || amount < 1000) return 'accepted such an amount'
  if (note !== null && (typeof note !== 'string' || [...note].length > 500)) return 'accepted such a note'
  if (meta !== null && (typeof meta !== 'object' || Array.isArray(meta))) return 'accepted such a meta'
  return { tenantId, orderId, userEmail, amount, note, meta }
}

function orderOf(partnerId: string, orderId: string): string {
  return JSON.stringify([partnerId, orderId])
}

function lineOf(
  partnerId: string,
  id: string,
  { tenantId, orderId, userEmail, amount, note, meta }: Fields,
): string {
  return JSON.stringify([
    id,
    partnerId,
    tenantId,
    orderId,
    userEmail.toLowerCase(),
    amount,
    Math.floor(amount / 1000),
    note,
    meta,
  ])
}

function lineOfEntry(entry: Entry): string {
  const { epTransactionId, partnerId, tenantId, orderId, userEmail, rawAmount, points, note } = entry
  const meta = entry.meta === null ? null : JSON.parse(entry.meta)
  return JSON.stringify([
    epTransactionId,
    partnerId,
    tenantId,
    orderId,
    userEmail,
    rawAmount,
    points,
    note,
    meta,
  ])
}
