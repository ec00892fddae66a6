import { grouped } from './numbers.ts'
import type { Refusal } from './refusal.ts'

/** One of the checks in their published order, as the API has it. */
type Check = { name: string; code: string | null; result: 'passed' | 'failed' | 'not reached' }

/** What was compared in a check. */
export function checkText({ name, code, result }: Check, refusal: Refusal): string {
  if (result === 'not reached') return 'Not reached'
  return result === 'passed' ? passedText(name, code, refusal) : failedText(refusal)
}

function passedText(name: string, code: string | null, { tenantId, requested }: Refusal): string {
  const ep = requested === null ? 'The award' : `${grouped(requested)} EP`
  switch (code) {
    case 'TIMESTAMP_OUT_OF_RANGE':
      return 'In time'
    case 'INVALID_SIGNATURE':
      return 'Signed with a valid key'
    case 'RATE_LIMITED':
      return 'Within the limit, or none is set'
    case 'TENANT_NOT_ALLOWED':
      return `${tenantId} is allowed for this partner`
    case 'ORDER_ID_CONFLICT':
      return 'Not credited before'
    case 'PARTNER_SUSPENDED':
      return 'Active'
    case 'AMOUNT_BELOW_MIN':
      return requested === null ? 'At least 1 EP' : `${ep} is at least 1`
    default:
      return name.startsWith('per') ? `${ep} had room` : 'Nothing wrong'
  }
}

function failedText({ code, cap, limit, used, requested }: Refusal): string {
  const over = limit === null || requested === null ? null : { limit, requested }
  switch (code) {
    case 'TIMESTAMP_OUT_OF_RANGE':
      return 'X-Timestamp is out of range'
    case 'INVALID_SIGNATURE':
      return 'No valid signature of a valid key'
    case 'RATE_LIMITED':
      return 'More requests per second than allowed'
    case 'INVALID_REQUEST':
      return 'Breaks a rule; the response said which'
    case 'TENANT_NOT_ALLOWED':
      return 'Not allowed for this partner'
    case 'ORDER_ID_CONFLICT':
      return 'Credited before with other values'
    case 'PARTNER_SUSPENDED':
      return 'Suspended'
    case 'AMOUNT_BELOW_MIN':
      return 'Less than 1 EP'
    case 'PER_TX_CAP_EXCEEDED':
      return over === null ? 'Over the cap' : `${grouped(over.requested)} > ${grouped(over.limit)}`
    default:
      if (over === null) return 'Over the cap'
      if (cap === 'perUserDay' || used === null)
        return `used + ${grouped(over.requested)} > ${grouped(over.limit)}`
      return `${grouped(used)} + ${grouped(over.requested)} = ${grouped(used + over.requested)} > ${grouped(over.limit)}`
  }
}
