/** A refused award, with nothing recorded. It is part of the contract, so it is a value and not an exception. */
export type Rejection =
  | { code: 'TENANT_NOT_ALLOWED' }
  | { code: 'ORDER_ID_CONFLICT'; differs: string[]; epTransactionId: string; awardedAt: number }
  | { code: 'PARTNER_SUSPENDED' }
  | { code: 'AMOUNT_BELOW_MIN'; minimum: number }
  | { code: 'PER_TX_CAP_EXCEEDED'; limit: number; requested: number }
  | DailyCapRejection

/** `used` only for perPartnerDay: a user's total counts other partners' awards too. */
type DailyCapRejection = {
  code: 'DAILY_CAP_EXCEEDED'
  limit: number
  requested: number
  resetsAt: number
} & ({ cap: 'perPartnerDay'; used: number } | { cap: 'perUserDay' })
