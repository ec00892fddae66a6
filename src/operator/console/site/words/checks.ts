import type { ProblemCode } from '../../../../wire/problems/catalog.ts'
import { grouped } from './numbers.ts'
import type { Refusal } from './refusal.ts'

type Check = { name: string; result: 'passed' | 'refused' | 'not checked'; text: string }

/** The checks of an award in their published order, each with the code that it refuses with. */
const checks: { name: string; codes: ProblemCode[]; historyToo?: true }[] = [
  { name: 'Timestamp, signature', codes: ['TIMESTAMP_OUT_OF_RANGE', 'INVALID_SIGNATURE'], historyToo: true },
  { name: 'Request rate', codes: ['RATE_LIMITED'], historyToo: true },
  { name: 'Fields', codes: ['INVALID_REQUEST'], historyToo: true },
  { name: 'Tenant', codes: ['TENANT_NOT_ALLOWED'], historyToo: true },
  { name: 'Order ID', codes: ['ORDER_ID_CONFLICT'] },
  { name: 'Partner status', codes: ['PARTNER_SUSPENDED'] },
  { name: 'Minimum', codes: ['AMOUNT_BELOW_MIN'] },
  { name: 'perTx', codes: ['PER_TX_CAP_EXCEEDED'] },
  { name: 'perPartnerDay', codes: ['DAILY_CAP_EXCEEDED'] },
  { name: 'perUserDay', codes: ['DAILY_CAP_EXCEEDED'] },
]

/** What was checked until the request was refused. Empty: no check refused it, but a failure. */
export function checksOf(refusal: Refusal): Check[] {
  const { endpoint, code, cap } = refusal
  const list = checks.filter(({ historyToo }) => endpoint === 'award' || historyToo)
  const decisive = list.findIndex(
    ({ name, codes }) => codes.includes(code) && (code !== 'DAILY_CAP_EXCEEDED' || name === cap),
  )
  if (decisive === -1) return []
  return list.map(({ name }, index): Check => {
    if (index < decisive) return { name, result: 'passed', text: passedText(name, refusal) }
    if (index === decisive) return { name, result: 'refused', text: refusedText(refusal) }
    return { name, result: 'not checked', text: 'Not reached' }
  })
}

function passedText(name: string, { tenantId, requested }: Refusal): string {
  const ep = requested === null ? 'The award' : `${grouped(requested)} EP`
  switch (name) {
    case 'Timestamp, signature':
      return 'Signed with a valid key, in time'
    case 'Request rate':
      return 'Within the limit, or none is set'
    case 'Fields':
      return 'Strict JSON, every field keeps its rule'
    case 'Tenant':
      return `${tenantId} is allowed for this partner`
    case 'Order ID':
      return 'Not credited before'
    case 'Partner status':
      return 'Active'
    case 'Minimum':
      return requested === null ? 'At least 1 EP' : `${ep} is at least 1`
    default:
      return `${ep} had room`
  }
}

function refusedText({ code, cap, limit, used, requested }: Refusal): string {
  const over = limit === null || requested === null ? null : { limit, requested }
  switch (code) {
    case 'TIMESTAMP_OUT_OF_RANGE':
      return 'X-Timestamp is out of range'
    case 'INVALID_SIGNATURE':
      return 'No valid signature of a valid key'
    case 'RATE_LIMITED':
      return 'More requests per second than allowed'
    case 'INVALID_REQUEST':
      return 'Breaks a rule; the response listed which'
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
