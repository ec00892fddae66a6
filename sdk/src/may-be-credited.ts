import type { PartnerCreditError } from './errors.ts'

/** The service says these after it has looked for the order: no earlier attempt has credited it as it was sent. */
const verdicts = [
  'ORDER_ID_CONFLICT',
  'PARTNER_SUSPENDED',
  'AMOUNT_BELOW_MIN',
  'PER_TX_CAP_EXCEEDED',
  'DAILY_CAP_EXCEEDED',
]

/**
 * Whether an award may have been credited after this failure of an attempt. A refusal that is not about the order (a 401
 * after the key was rotated) changes nothing: it says nothing about the attempts before it.
 */
export function mayBeCreditedAfter({ status, code }: PartnerCreditError, before: boolean): boolean {
  if (status === null || status >= 500 || code === 'UNEXPECTED_RESPONSE') return true
  return before && !verdicts.includes(code)
}
