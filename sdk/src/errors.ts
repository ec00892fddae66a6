import type { RuleFault } from './rule-fault.ts'

/** What is known about any failure. */
export type Failure = {
  /** HTTP status code; null if there was no response. */
  status: number | null
  /** Quote it when you ask the operator for help: it is in the service's log. */
  requestId: string | null
  /** True if the same call may succeed later. It has already been retried as often as `retries` says. */
  retryable: boolean
  /** How long the service asked to wait; null if it did not. */
  retryAfterMs: number | null
  /** True if the response was about a sandbox tenant. */
  sandbox: boolean
  cause?: unknown
}

/** Everything that this package throws is one of these, or the reason of the signal that you aborted. */
export abstract class PartnerCreditError extends Error {
  static {
    PartnerCreditError.prototype.name = 'PartnerCreditError'
  }
  abstract readonly code: string
  readonly status: number | null
  readonly requestId: string | null
  readonly retryable: boolean
  readonly retryAfterMs: number | null
  /** True if the response was about a sandbox tenant; false without a response, too. */
  readonly sandbox: boolean
  /** Number of requests sent, including retries. */
  attempts = 1
  /**
   * True if the outcome of an award is unknown: an attempt of this call ended without a response, with a 5xx or with one that
   * is not the service's, and no later attempt has settled it. Keep the order and make the same call later to find out, even
   * if `retryable` is false. Always false for a list of awards.
   */
  mayBeCredited = false

  constructor(message: string, { status, requestId, retryable, retryAfterMs, sandbox, cause }: Failure) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.requestId = requestId
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    this.sandbox = sandbox
  }

  /** For structured logs: JSON of a plain Error has neither its name nor its message. */
  toJSON(): Record<string, unknown> {
    const fields: Record<string, unknown> = { name: this.name, message: this.message }
    return Object.assign(fields, this)
  }
}

const noResponse = { status: null, retryAfterMs: null, sandbox: false }

/** The call is invalid, and nothing was sent. Every broken rule is in `errors`. */
export class InvalidArgumentError extends PartnerCreditError {
  static {
    InvalidArgumentError.prototype.name = 'InvalidArgumentError'
  }
  readonly code = 'INVALID_ARGUMENT'
  readonly errors: readonly RuleFault[]

  constructor(what: string, errors: readonly RuleFault[]) {
    super(`${what}: ${faultsInWords(errors)}`, { ...noResponse, requestId: null, retryable: false })
    this.attempts = 0
    this.errors = errors
  }
}

/** The service could not be reached, or the connection broke. An award may have been credited nevertheless. */
export class ConnectionError extends PartnerCreditError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
  readonly code = 'CONNECTION_FAILED'

  constructor(message: string, { requestId, cause }: { requestId: string; cause: unknown }) {
    super(message, { ...noResponse, requestId, retryable: true, cause })
  }
}

/** No complete response arrived within `timeoutMs`. An award may have been credited nevertheless. */
export class TimeoutError extends PartnerCreditError {
  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }
  readonly code = 'TIMEOUT'

  constructor(message: string, { requestId }: { requestId: string }) {
    super(message, { ...noResponse, requestId, retryable: true })
  }
}

/** The response is not one of the service: it came from a proxy, another host or a newer version. */
export class UnexpectedResponseError extends PartnerCreditError {
  static {
    UnexpectedResponseError.prototype.name = 'UnexpectedResponseError'
  }
  readonly code = 'UNEXPECTED_RESPONSE'
  /** The `code` of the response, if it has one that this version does not know. */
  readonly serviceCode: string | null

  constructor(message: string, failure: Failure, { serviceCode }: { serviceCode: string | null }) {
    super(message, failure)
    this.serviceCode = serviceCode
  }
}

/** Callers without a compiler may pass anything. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function faultsInWords(errors: readonly RuleFault[]): string {
  return errors
    .map(({ pointer, parameter, detail }) => `${parameter ?? pointer?.slice(1) ?? ''} ${detail}`.trim())
    .join('; ')
}
