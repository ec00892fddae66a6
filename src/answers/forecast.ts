import type { AccountId } from '../rules/cursor.ts'
import { decide } from '../rules/decide.ts'
import { nextAwardedAt } from '../rules/decide-batch.ts'
import { emptyAccount } from '../rules/entry.ts'
import { amountPerEp } from '../rules/points.ts'
import type { Rejection } from '../rules/rejection.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import type { LedgerQueries, ShownPartner } from './ledger-queries.ts'
import { readSettings } from './settings.ts'

/** What is known of the award. Null: not known. */
export type SupposedAward = { tenantId: string; amount: number | null; userEmail: string | null }

/**
 * What the rules would decide now. Without an amount, about the smallest award, 1 EP; without a user, as if the user had
 * no EP of the day yet.
 */
export type Forecast = SupposedAward & {
  outcome: { kind: 'credit'; points: number } | ({ kind: 'reject' } & Rejection)
  /** The largest award that the partner could make in this tenant now, to this user; null if it could make none at all. */
  largest: number | null
}

/** Asks the rules that decide awards; nothing is written. The order must not be in the ledger. */
export async function forecast(
  queries: LedgerQueries,
  partner: ShownPartner,
  { orderId, now, ...award }: SupposedAward & { orderId: string; now: number },
): Promise<Forecast> {
  const { partnerId } = partner
  const { tenantId, amount, userEmail } = award
  const account = (await queries.accounts({ partnerId, tenantId }))[0] ?? emptyAccount
  const awardedAt = nextAwardedAt(account, now)
  const day = vietnamDay(awardedAt)
  const partnerDayUsed = account.day === day ? account.dayPoints : 0
  const userDays = userEmail === null ? [] : await queries.userDays({ tenantId, userEmail })
  const grant = await grantOf(queries, partner, { partnerId, tenantId })
  const command = {
    partnerId,
    tenantId,
    orderId,
    userEmail: userEmail ?? '',
    amount: amount ?? amountPerEp,
    note: null,
    meta: null,
    epTransactionId: '',
    salt: new Uint8Array(),
  }
  const userDayUsed = userDays.find((one) => one.day === day)?.points ?? 0
  const decision = decide(command, { grant, known: null, awardedAt, partnerDayUsed, userDayUsed })
  const room =
    grant === null || grant.suspended
      ? 0
      : Math.min(
          grant.caps.perTx,
          grant.caps.perPartnerDay - partnerDayUsed,
          grant.caps.perUserDay - userDayUsed,
        )
  return {
    ...award,
    outcome:
      decision.kind === 'reject'
        ? { kind: 'reject', ...decision.rejection }
        : { kind: 'credit', points: decision.kind === 'credit' ? decision.points : decision.original.points },
    largest: room >= 1 ? room : null,
  }
}

/** As the commit reads it: null if the tenant is not among the partner's. */
async function grantOf(queries: LedgerQueries, partner: ShownPartner, account: AccountId) {
  if (!partner.grants.some(({ tenantId }) => tenantId === account.tenantId)) return null
  const { perTx, perPartnerDay, perUserDay } = (await readSettings(queries, partner)).capsOf(account)
  const caps = { perTx: perTx.limit, perPartnerDay: perPartnerDay.limit, perUserDay: perUserDay.limit }
  return { suspended: partner.status === 'suspended', caps }
}
