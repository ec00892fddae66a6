import type { AwardRequest } from './award-request.ts'
import type { Entry } from './entry.ts'
import { sameJson, valuesIn } from './same-json.ts'
import { type Json, parseStrictJson, tooManyValues } from './strict-json.ts'

/** What the ledger keeps of an order: enough to respond to its replays forever. */
export type KnownAward = Pick<
  Entry,
  'epTransactionId' | 'tenantId' | 'userEmail' | 'rawAmount' | 'points' | 'note' | 'meta' | 'awardedAt'
>

/** The fields in which a request with a known orderId differs from the original. Empty if the payload is the same. */
export function differingFields(known: KnownAward, request: AwardRequest): string[] {
  const differs: string[] = []
  if (request.tenantId !== known.tenantId) differs.push('tenantId')
  if (request.userEmail !== known.userEmail) differs.push('userEmail')
  if (request.amount !== known.rawAmount) differs.push('amount')
  if (request.note !== known.note) differs.push('note')
  if (!sameMeta(request.meta, known.meta)) differs.push('meta')
  return differs
}

/** Of the stored one no more is read than the given one has: while it is compared, other awards wait for the commit. */
function sameMeta(given: string | null, stored: string | null): boolean {
  if (given === stored) return true
  if (given === null || stored === null) return false
  const json = checkedJson(given)!
  const other = checkedJson(stored, { valuesMax: valuesIn(json) })
  return other !== null && sameJson(json, other)
}

/** Both were parsed strictly when they arrived. Null: there are more values. */
function checkedJson(text: string, bounds = {}): Json | null {
  const json = parseStrictJson(text, bounds)
  if (json.ok) return json.value
  if (json.errors[0]!.detail === tooManyValues) return null
  throw new Error('a stored meta is not strict JSON')
}
