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
  TimeoutError,
  UnexpectedResponseError,
} from './errors.ts'
export type { RuleFault } from './rule-fault.ts'
export * from './service-errors.ts'
