import { amountPerEp } from '../../../../rules/points.ts'
import { grouped } from './numbers.ts'
import type { Refusal } from './refusal.ts'

type Verdict = {
  /** For the title of the page and of the tab. */
  title: string
  /** What decided, in one sentence. */
  verdict: string
  /** What proves it, or what to do. */
  proof: string
}

const stillFree = 'Nothing was recorded and the order ID is still free.'

/** Why a request was refused: the verdict first, then the numbers that prove it. */
export function refusalVerdict(refusal: Refusal): Verdict {
  const { code, cap, limit, requested, used } = refusal
  const ep = (value: number | null) => (value === null ? 'an unknown number of EP' : `${grouped(value)} EP`)
  switch (code) {
    case 'DAILY_CAP_EXCEEDED':
      if (cap === 'perUserDay')
        return {
          title: 'Refused: daily cap of the user',
          verdict: `${ep(requested)} were requested, and the user's day had less room than that.`,
          proof: `perUserDay is ${ep(limit)}, across all partners. The journal does not keep whose award it was, nor the user's total. ${stillFree}`,
        }
      return {
        title: 'Refused: daily cap of the partner',
        verdict: `${ep(requested)} were requested and ${ep(limit === null || used === null ? null : Math.max(0, limit - used))} were left.`,
        proof: `perPartnerDay is ${ep(limit)}; ${ep(used)} were used. ${stillFree}`,
      }
    case 'PER_TX_CAP_EXCEEDED':
      return {
        title: 'Refused: cap per award',
        verdict: `${ep(requested)} were requested and one award may have at most ${ep(limit)}.`,
        proof: `perTx is ${ep(limit)}. ${stillFree}`,
      }
    case 'AMOUNT_BELOW_MIN':
      return {
        title: 'Refused: amount below 1 EP',
        verdict: `The amount was below ${grouped(amountPerEp)}, which is less than 1 EP.`,
        proof: stillFree,
      }
    case 'PARTNER_SUSPENDED':
      return {
        title: 'Refused: partner suspended',
        verdict: 'The partner was suspended when the award arrived.',
        proof: `${stillFree} Replays of credited orders and the award history keep working for a suspended partner.`,
      }
    case 'ORDER_ID_CONFLICT':
      return {
        title: 'Refused: order ID used before',
        verdict: 'The order ID was credited before with other values.',
        proof:
          'The first award stands. The response named the fields that differ; the journal does not keep them.',
      }
    case 'TENANT_NOT_ALLOWED':
      return {
        title: 'Refused: tenant not allowed',
        verdict: 'The tenant was not among those that the partner may use.',
        proof: 'Nothing was recorded. To allow the tenant, open the partner.',
      }
    case 'INVALID_SIGNATURE':
      return {
        title: 'Refused: signature does not match',
        verdict: 'The request was not signed with a valid key and its secret.',
        proof:
          'The partner gets the same response for a wrong secret, a changed body, a missing header and an unknown or revoked key. Nothing of the body was read. The signature debugger of the partner pages finds the mistake.',
      }
    case 'TIMESTAMP_OUT_OF_RANGE':
      return {
        title: 'Refused: timestamp out of range',
        verdict: "X-Timestamp was too far from the service's clock, or not milliseconds in plain digits.",
        proof: "Nothing of the body was read. The response told the partner the service's time.",
      }
    case 'RATE_LIMITED':
      return {
        title: 'Refused: too many requests',
        verdict: 'The partner sent more requests per second than it is allowed.',
        proof: 'Nothing was recorded. The response told the partner how long to wait.',
      }
    case 'INVALID_REQUEST':
      return {
        title: 'Refused: the request breaks a rule',
        verdict: 'The request was signed, but its body or query breaks a rule.',
        proof: 'Nothing was recorded. The response listed every broken rule; the journal does not keep them.',
      }
    case 'NOT_FOUND':
      return {
        title: 'Refused: no such path',
        verdict: 'There is no such path.',
        proof: 'Paths match byte for byte.',
      }
    case 'UNAVAILABLE':
      return {
        title: 'Not carried out: temporarily unavailable',
        verdict: 'The service could not make the award durable in time.',
        proof:
          'The outcome may have been unknown to the partner. If it sent the same order again, it was credited once. Search for the order to see whether it was.',
      }
    case 'INTERNAL_ERROR':
      return {
        title: 'Not carried out: internal error',
        verdict: 'The service failed. This is a bug.',
        proof: 'The log has the error under this request ID. An order is never credited twice.',
      }
  }
}
