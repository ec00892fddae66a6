import { isoTime } from '../../rules/iso-time.ts'
import type { Rejection } from '../../rules/rejection.ts'
import type { Problem } from '../../wire/problem.ts'

/** Explains a refused award to the partner's engineer. The ledger's times become ISO 8601. */
export function rejectionProblem(rejection: Rejection, now: number): Problem {
  switch (rejection.code) {
    case 'TENANT_NOT_ALLOWED':
      return { code: rejection.code, detail: 'tenantId is not among your allowedTenants' }
    case 'PARTNER_SUSPENDED':
      return {
        code: rejection.code,
        detail: 'you are suspended: new awards are refused until the operator resumes you',
      }
    case 'ORDER_ID_CONFLICT': {
      const { code, differs, epTransactionId } = rejection
      const scope = differs.includes('tenantId') ? oneOrder : ''
      const detail = `this orderId was credited before with another ${differs.join(', ')}; the first award stands${scope}`
      return {
        code,
        detail,
        members: { differs, epTransactionId, awardedAt: isoTime(rejection.awardedAt, 'entries') },
      }
    }
    case 'AMOUNT_BELOW_MIN': {
      const { code, minimum } = rejection
      return { code, detail: `amount must be at least ${minimum}, which is 1 EP`, members: { minimum } }
    }
    case 'PER_TX_CAP_EXCEEDED': {
      const { code, limit, requested } = rejection
      return {
        code,
        detail: `${requested} EP exceed the cap of ${limit} EP per award`,
        members: { limit, requested },
      }
    }
    case 'DAILY_CAP_EXCEEDED': {
      const { code, ...members } = rejection
      const whose = rejection.cap === 'perPartnerDay' ? 'your cap for this tenant' : "this user's cap"
      return {
        code,
        detail: `${rejection.requested} EP more would exceed ${whose} of ${rejection.limit} EP a day`,
        members: { ...members, resetsAt: isoTime(rejection.resetsAt) },
        // Midnight may have passed since the decision.
        headers: { 'retry-after': String(Math.max(1, Math.ceil((rejection.resetsAt - now) / 1000))) },
      }
    }
  }
}

/** Most likely a test has used the orderId of a real order, or the other way round. */
const oneOrder =
  '. An orderId is used once in all your tenants together, sandbox tenants included: give test orders a prefix of their own'
