// Made from the catalog of errors by `npm run contract`. Do not edit.
import type { Failure, PartnerCreditError } from './errors.ts'
import {
  list,
  type Members,
  number,
  oneOf,
  optional,
  optionalList,
  ruleFault,
  string,
} from './read-member.ts'
import {
  AmountBelowMinError,
  DailyCapExceededError,
  InternalServiceError,
  InvalidRequestError,
  InvalidSignatureError,
  NotFoundError,
  OrderIdConflictError,
  PartnerSuspendedError,
  PerTxCapExceededError,
  RateLimitedError,
  type ServiceErrorCode,
  TenantNotAllowedError,
  TimestampOutOfRangeError,
  UnavailableError,
} from './service-errors.ts'

/** Makes the error of each code from the body of a response. Throws MemberMissing if a member is missing. */
export const serviceErrorOf: Record<
  ServiceErrorCode,
  (message: string, failure: Failure, members: Members) => PartnerCreditError
> = {
  INVALID_REQUEST: (message, failure, members) =>
    new InvalidRequestError(message, failure, {
      errors: optionalList(members.errors, ruleFault),
    }),
  INVALID_SIGNATURE: (message, failure, members) =>
    new InvalidSignatureError(message, failure, {
      bodyBytes: number(members.bodyBytes),
      bodySha256: string(members.bodySha256),
    }),
  TIMESTAMP_OUT_OF_RANGE: (message, failure, members) =>
    new TimestampOutOfRangeError(message, failure, {
      serverTime: number(members.serverTime),
      skewMs: optional(members.skewMs, number),
    }),
  TENANT_NOT_ALLOWED: (message, failure) => new TenantNotAllowedError(message, failure),
  PARTNER_SUSPENDED: (message, failure) => new PartnerSuspendedError(message, failure),
  NOT_FOUND: (message, failure) => new NotFoundError(message, failure),
  ORDER_ID_CONFLICT: (message, failure, members) =>
    new OrderIdConflictError(message, failure, {
      differs: list(members.differs, string),
      epTransactionId: string(members.epTransactionId),
      awardedAt: string(members.awardedAt),
    }),
  AMOUNT_BELOW_MIN: (message, failure, members) =>
    new AmountBelowMinError(message, failure, {
      minimum: number(members.minimum),
    }),
  PER_TX_CAP_EXCEEDED: (message, failure, members) =>
    new PerTxCapExceededError(message, failure, {
      limit: number(members.limit),
      requested: number(members.requested),
    }),
  DAILY_CAP_EXCEEDED: (message, failure, members) =>
    new DailyCapExceededError(message, failure, {
      cap: oneOf(members.cap, ['perPartnerDay', 'perUserDay']),
      limit: number(members.limit),
      requested: number(members.requested),
      used: optional(members.used, number),
      resetsAt: string(members.resetsAt),
    }),
  RATE_LIMITED: (message, failure) => new RateLimitedError(message, failure),
  INTERNAL_ERROR: (message, failure) => new InternalServiceError(message, failure),
  UNAVAILABLE: (message, failure) => new UnavailableError(message, failure),
}
