import { type Caps, fitsUnder } from './caps.ts'
import type { AwardCommand } from './entry.ts'
import { amountPerEp, pointsFor } from './points.ts'
import type { Rejection } from './rejection.ts'
import { differingFields, type KnownAward } from './replay.ts'
import { nextVietnamMidnight } from './vietnam-day.ts'

/** The state of the ledger for one decision, read under the locks of the transaction that will credit. */
export type Facts = {
  /** Null: the tenant is not, or no longer, among the partner's allowedTenants. */
  grant: { suspended: boolean; caps: Caps } | null
  /** Null: no award has this orderId yet. */
  known: KnownAward | null
  awardedAt: number
  partnerDayUsed: number
  userDayUsed: number
}

export type Decision =
  | { kind: 'credit'; points: number; caps: Caps }
  | { kind: 'duplicate'; original: KnownAward }
  | { kind: 'reject'; rejection: Rejection }

/** The published order of checks. What passes them all is credited. */
export function decide(command: AwardCommand, facts: Facts): Decision {
  const { grant, known, awardedAt, partnerDayUsed, userDayUsed } = facts
  if (grant === null) return reject({ code: 'TENANT_NOT_ALLOWED' })

  if (known !== null) {
    const differs = differingFields(known, command)
    if (differs.length === 0) return { kind: 'duplicate', original: known }
    const { epTransactionId } = known
    return reject({ code: 'ORDER_ID_CONFLICT', differs, epTransactionId, awardedAt: known.awardedAt })
  }

  if (grant.suspended) return reject({ code: 'PARTNER_SUSPENDED' })

  const { caps } = grant
  const points = pointsFor(command.amount)
  if (points < 1) return reject({ code: 'AMOUNT_BELOW_MIN', minimum: amountPerEp })
  if (points > caps.perTx) {
    return reject({ code: 'PER_TX_CAP_EXCEEDED', limit: caps.perTx, requested: points })
  }

  const resetsAt = nextVietnamMidnight(awardedAt)
  const daily = { code: 'DAILY_CAP_EXCEEDED', requested: points, resetsAt } as const
  if (!fitsUnder(caps.perPartnerDay, partnerDayUsed, points)) {
    return reject({ ...daily, cap: 'perPartnerDay', limit: caps.perPartnerDay, used: partnerDayUsed })
  }
  if (!fitsUnder(caps.perUserDay, userDayUsed, points)) {
    return reject({ ...daily, cap: 'perUserDay', limit: caps.perUserDay })
  }
  return { kind: 'credit', points, caps }
}

function reject(rejection: Rejection): Decision {
  return { kind: 'reject', rejection }
}
