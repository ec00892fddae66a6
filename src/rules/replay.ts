import type { AwardRequest } from './award-request.ts'
import type { Entry } from './entry.ts'
import { sameJson } from './same-json.ts'
import { type Json, parseStrictJson } from './strict-json.ts'

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

function sameMeta(a: string | null, b: string | null): boolean {
  if (a === b) return true
  return a !== null && b !== null && sameJson(checkedJson(a), checkedJson(b))
}

/** Stored meta was parsed strictly when it arrived, so parsing it cannot fail. */
function checkedJson(text: string): Json {
  const json = parseStrictJson(text)
  if (!json.ok) throw new Error('a stored meta is not strict JSON')
  return json.value
}
