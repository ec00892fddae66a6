import type { Answer } from './attempt.ts'
import {
  faultsInWords,
  type Failure,
  isObject,
  type PartnerCreditError,
  type RuleFault,
  UnexpectedResponseError,
} from './errors.ts'
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

type Members = Record<string, unknown>

/** The error that an answer stands for; null where it is a success. */
export function failureOf(answer: Answer, now: number): PartnerCreditError | null {
  const { status, headers, requestId } = answer
  if (status >= 200 && status < 300) return null
  const problem = objectIn(answer) ?? {}
  const { code } = problem
  const failure = {
    status,
    requestId: typeof problem.requestId === 'string' ? problem.requestId : requestId,
    retryable: isRetryable(status, code),
    retryAfterMs: retryAfterMs(headers.get('retry-after'), now),
  }
  if (isServiceCode(code) && typeof problem.detail === 'string') {
    try {
      const errors = code === 'INVALID_REQUEST' ? faultsInWords(ruleFaults(problem)) : ''
      const detail = [problem.detail, errors].filter(Boolean).join(': ')
      return errorOf[code](`${code}: ${detail} ${inBrackets(failure)}`, failure, problem)
    } catch (error) {
      if (!(error instanceof MemberMissing)) throw error
    }
  }
  return unexpected(explain(answer), failure, code)
}

/** A success whose body is not what the contract says. */
export function unexpectedAnswer(answer: Answer, why: string): UnexpectedResponseError {
  const { status, requestId } = answer
  return unexpected(why, { status, requestId, retryable: false, retryAfterMs: null }, null)
}

export function objectIn({ text }: Answer): Members | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** A status that passes by itself, whoever says it, except that a daily cap lasts until midnight. */
function isRetryable(status: number, code: unknown): boolean {
  return status >= 500 || status === 408 || (status === 429 && code !== 'DAILY_CAP_EXCEEDED')
}

/** Seconds, or a date: a proxy may send one. */
function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

const errorOf: Record<
  ServiceErrorCode,
  (message: string, failure: Failure, members: Members) => PartnerCreditError
> = {
  INVALID_REQUEST: (message, failure, members) =>
    new InvalidRequestError(message, failure, { errors: ruleFaults(members) }),
  INVALID_SIGNATURE: (message, failure, members) =>
    new InvalidSignatureError(message, failure, {
      bodyBytes: number(members.bodyBytes),
      bodySha256: string(members.bodySha256),
    }),
  TIMESTAMP_OUT_OF_RANGE: (message, failure, members) =>
    new TimestampOutOfRangeError(message, failure, {
      serverTime: number(members.serverTime),
      skewMs: members.skewMs === undefined ? null : number(members.skewMs),
    }),
  TENANT_NOT_ALLOWED: (message, failure) => new TenantNotAllowedError(message, failure),
  PARTNER_SUSPENDED: (message, failure) => new PartnerSuspendedError(message, failure),
  NOT_FOUND: (message, failure) => new NotFoundError(message, failure),
  ORDER_ID_CONFLICT: (message, failure, members) =>
    new OrderIdConflictError(message, failure, {
      differs: list(members.differs).map(string),
      epTransactionId: string(members.epTransactionId),
      awardedAt: string(members.awardedAt),
    }),
  AMOUNT_BELOW_MIN: (message, failure, members) =>
    new AmountBelowMinError(message, failure, { minimum: number(members.minimum) }),
  PER_TX_CAP_EXCEEDED: (message, failure, members) =>
    new PerTxCapExceededError(message, failure, {
      limit: number(members.limit),
      requested: number(members.requested),
    }),
  DAILY_CAP_EXCEEDED: (message, failure, members) =>
    new DailyCapExceededError(message, failure, {
      cap: members.cap === 'perPartnerDay' || members.cap === 'perUserDay' ? members.cap : missing(),
      limit: number(members.limit),
      requested: number(members.requested),
      resetsAt: string(members.resetsAt),
      used: members.used === undefined ? null : number(members.used),
    }),
  RATE_LIMITED: (message, failure) => new RateLimitedError(message, failure),
  INTERNAL_ERROR: (message, failure) => new InternalServiceError(message, failure),
  UNAVAILABLE: (message, failure) => new UnavailableError(message, failure),
}

function isServiceCode(code: unknown): code is ServiceErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorOf, code)
}

/** The body is not quoted: a proxy's page may repeat what was sent. */
function unexpected(why: string, failure: Failure, code: unknown): UnexpectedResponseError {
  const serviceCode = typeof code === 'string' && /^[A-Z][A-Z_]{0,63}$/.test(code) ? code : null
  const named = serviceCode === null ? '' : ` with the code ${serviceCode}`
  return new UnexpectedResponseError(`${why}${named} ${inBrackets(failure)}`, failure, { serviceCode })
}

function explain({ status, headers }: Answer): string {
  if (status === 0 || (status >= 300 && status < 400)) {
    return 'the answer is a redirect, which is not followed with your key: correct baseUrl'
  }
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type'
  return `the answer (${type}) is not one of the service's errors: look for a proxy, or at baseUrl`
}

function inBrackets({ status, requestId }: Failure): string {
  return `(HTTP ${status}, request ${requestId})`
}

/** The answer has the code without what the contract says of it: it is not our service, or not this version. */
class MemberMissing extends Error {}

function missing(): never {
  throw new MemberMissing()
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : missing()
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : missing()
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : missing()
}

/** `errors` is absent where the HTTP itself was refused. */
function ruleFaults({ errors }: Members): RuleFault[] {
  return errors === undefined ? [] : list(errors).map((fault) => (isRuleFault(fault) ? fault : missing()))
}

function isRuleFault(value: unknown): value is RuleFault {
  if (!isObject(value) || typeof value.detail !== 'string') return false
  return [value.pointer, value.parameter].every((place) => place === undefined || typeof place === 'string')
}
