/** What became of a request that was not carried out: the codes of the errors. */
export const refusalCodes = [
  'INVALID_REQUEST',
  'INVALID_SIGNATURE',
  'TIMESTAMP_OUT_OF_RANGE',
  'RATE_LIMITED',
  'TENANT_NOT_ALLOWED',
  'PARTNER_SUSPENDED',
  'ORDER_ID_CONFLICT',
  'AMOUNT_BELOW_MIN',
  'PER_TX_CAP_EXCEEDED',
  'DAILY_CAP_EXCEEDED',
  'NOT_FOUND',
  'UNAVAILABLE',
  'INTERNAL_ERROR',
] as const
export type RefusalCode = (typeof refusalCodes)[number]

/** Otherwise: a new award, the replay of one, a page of history. */
export type ResultCode = RefusalCode | 'CREDITED' | 'DUPLICATE' | 'PAGE'

export function isRefusal(code: ResultCode): code is RefusalCode {
  return (refusalCodes as readonly string[]).includes(code)
}
