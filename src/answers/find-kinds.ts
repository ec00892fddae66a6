import { isOrderId } from '../rules/award-request.ts'
import { normalizeEmail } from '../rules/email.ts'
import { isRequestId } from '../rules/request-id.ts'

/** What a text can be: an orderId, a user's address, an epTransactionId, the requestId of a refusal. */
export const findKinds = ['order', 'email', 'id', 'request'] as const
export type FindKind = (typeof findKinds)[number]

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** As it is stored; null if it cannot be one. */
export function transactionIdOf(text: string): string | null {
  return uuid.test(text) ? text.toLowerCase() : null
}

/** The text in the form in which it is stored; null if it cannot be one. */
const readAs: Record<FindKind, (text: string) => string | null> = {
  order: (text) => (isOrderId(text) ? text : null),
  email: (text) => {
    const address = normalizeEmail(text)
    return address.ok ? address.email : null
  },
  id: transactionIdOf,
  request: (text) => (isRequestId(text) ? text : null),
}

const forms: Record<FindKind, string> = {
  order: 'an orderId: 1 to 200 characters, no control characters',
  email: 'an e-mail address, such as ann@example.com',
  id: 'an epTransactionId, such as 019a8413-1de0-79ac-9be8-ced36b139dbb',
  request: 'a requestId: 1 to 128 letters, digits or _ . : -',
}

/** A text that cannot be what was asked for. */
export class NotFindable extends Error {}

/** Every kind that fits, with the text as it is stored: an orderId may look like an address or a UUID. */
export function kindsOf(text: string, only?: FindKind): Map<FindKind, string> {
  const kinds = new Map<FindKind, string>()
  for (const kind of only === undefined ? findKinds : [only]) {
    const stored = readAs[kind](text)
    if (stored !== null) kinds.set(kind, stored)
  }
  if (kinds.size > 0) return kinds
  throw new NotFindable(
    `this is not ${only === undefined ? Object.values(forms).join(', nor ') : forms[only]}`,
  )
}
