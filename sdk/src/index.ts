export { PartnerCredit, type PartnerCreditOptions } from './partner-credit.ts'
export type { Award, AwardRequest } from './award.ts'
export type { AwardHistoryItem, AwardHistoryPage, Awards, AwardsPageQuery, AwardsQuery } from './awards.ts'
export type { CallOptions } from './requester.ts'
export { sign } from './sign.ts'
export {
  ConnectionError,
  type Failure,
  InvalidArgumentError,
  PartnerCreditError,
  type RuleFault,
  TimeoutError,
  UnexpectedResponseError,
} from './errors.ts'
export {
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
