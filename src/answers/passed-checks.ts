import type { Refusal } from '../journal/journal-batch.ts'
import type { RefusalCode } from '../journal/result-code.ts'

export type PassedCheck = { name: string; code: RefusalCode; result: 'passed' | 'failed' | 'not reached' }

type Check = { name: string; code: RefusalCode; isFailedBy?(refusal: Known): boolean }
type Known = Pick<Refusal, 'code' | 'cap' | 'keyId' | 'endpoint'>

/** In the published order: docs/decisions/order-of-checks.md. A refusal does not say which part of a signature was wrong. */
const checks: Check[] = [
  { name: 'size and media type', code: 'INVALID_REQUEST', isFailedBy: ({ keyId }) => keyId === null },
  { name: 'X-Timestamp', code: 'TIMESTAMP_OUT_OF_RANGE' },
  { name: 'headers, key and signature', code: 'INVALID_SIGNATURE' },
  { name: 'request rate', code: 'RATE_LIMITED' },
  { name: 'JSON and field rules', code: 'INVALID_REQUEST' },
  { name: 'tenant', code: 'TENANT_NOT_ALLOWED' },
  { name: 'known order', code: 'ORDER_ID_CONFLICT' },
  { name: 'partner is active', code: 'PARTNER_SUSPENDED' },
  { name: 'minimum amount', code: 'AMOUNT_BELOW_MIN' },
  { name: 'perTx', code: 'PER_TX_CAP_EXCEEDED' },
  { name: 'perPartnerDay', code: 'DAILY_CAP_EXCEEDED', isFailedBy: ({ cap }) => cap === 'perPartnerDay' },
  { name: 'perUserDay', code: 'DAILY_CAP_EXCEEDED' },
]

/** How far a refused award came. Empty for a history page, and where no check failed but the service itself. */
export function passedChecks(refusal: Known): PassedCheck[] {
  const failed = checks.findIndex(
    ({ code, isFailedBy = () => true }) => code === refusal.code && isFailedBy(refusal),
  )
  if (refusal.endpoint !== 'award' || failed === -1) return []
  return checks.map(({ name, code }, at) => ({
    name,
    code,
    result: at < failed ? 'passed' : at === failed ? 'failed' : 'not reached',
  }))
}
