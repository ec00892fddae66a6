import type { Answer } from './attempt.ts'
import {
  faultsInWords,
  type Failure,
  isObject,
  type PartnerCreditError,
  UnexpectedResponseError,
} from './errors.ts'
import { isSandbox } from './is-sandbox.ts'
import { MemberMissing, type Members, optionalList, ruleFault } from './read-member.ts'
import { serviceErrorOf } from './service-error-of.ts'
import type { ServiceErrorCode } from './service-errors.ts'

/** The error of a response; null if it is a success. */
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
    sandbox: isSandbox(answer),
  }
  if (isServiceCode(code) && typeof problem.detail === 'string') {
    try {
      const errors = code === 'INVALID_REQUEST' ? faultsInWords(optionalList(problem.errors, ruleFault)) : ''
      const detail = [problem.detail, errors].filter(Boolean).join(': ')
      return serviceErrorOf[code](`${code}: ${detail} ${inBrackets(failure)}`, failure, problem)
    } catch (error) {
      if (!(error instanceof MemberMissing)) throw error
    }
  }
  return unexpected(explain(answer), failure, code)
}

/** A success whose body does not follow the contract. */
export function unexpectedAnswer(answer: Answer, why: string): UnexpectedResponseError {
  const { status, requestId } = answer
  const failure = { status, requestId, retryable: false, retryAfterMs: null, sandbox: isSandbox(answer) }
  return unexpected(why, failure, null)
}

export function objectIn({ text }: Answer): Members | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** A temporary status, whoever sent it, except that a daily cap lasts until midnight. */
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

function isServiceCode(code: unknown): code is ServiceErrorCode {
  return typeof code === 'string' && Object.hasOwn(serviceErrorOf, code)
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

function inBrackets({ status, requestId, sandbox }: Failure): string {
  return `(HTTP ${status}${sandbox ? ', sandbox' : ''}, request ${requestId})`
}
