import type { RuleFault } from './rule-fault.ts'

/** What is known of a failure, whatever its kind. */
export type Failure = {
  /** The HTTP status; null where no answer came. */
  status: number | null
  /** Tell it to the operator when you ask for help: it is in the service's log. */
  requestId: string | null
  /** True where the same call may succeed later as it is. It was tried again already, as often as `retries` says. */
  retryable: boolean
  /** How long the service asked to wait, where it did. */
  retryAfterMs: number | null
  /** True if the response was about a sandbox tenant. */
  sandbox: boolean
  cause?: unknown
}

/** Whatever this package throws is one of these, or the reason of the signal that you aborted. */
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
  /** Requests sent in vain, the retries among them. */
  attempts = 1

  constructor(message: string, { status, requestId, retryable, retryAfterMs, sandbox, cause }: Failure) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.requestId = requestId
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    this.sandbox = sandbox
  }

  /** For structured logs: an Error alone would be written as its own fields, without name and message. */
  toJSON(): Record<string, unknown> {
    const fields: Record<string, unknown> = { name: this.name, message: this.message }
    return Object.assign(fields, this)
  }
}

const noResponse = { status: null, retryAfterMs: null, sandbox: false }

/** A call was refused before anything was sent. Every broken rule is in `errors`. */
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

/** The service was not reached, or the connection broke. An award may have been credited all the same. */
export class ConnectionError extends PartnerCreditError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
  readonly code = 'CONNECTION_FAILED'

  constructor(message: string, { requestId, cause }: { requestId: string; cause: unknown }) {
    super(message, { ...noResponse, requestId, retryable: true, cause })
  }
}

/** No whole answer came within `timeoutMs`. An award may have been credited all the same. */
export class TimeoutError extends PartnerCreditError {
  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }
  readonly code = 'TIMEOUT'

  constructor(message: string, { requestId }: { requestId: string }) {
    super(message, { ...noResponse, requestId, retryable: true })
  }
}

/** Something answered that does not speak as the service does: a proxy, another host, a newer version. */
export class UnexpectedResponseError extends PartnerCreditError {
  static {
    UnexpectedResponseError.prototype.name = 'UnexpectedResponseError'
  }
  readonly code = 'UNEXPECTED_RESPONSE'
  /** The `code` of the answer, where it had one that this version does not know. */
  readonly serviceCode: string | null

  constructor(message: string, failure: Failure, { serviceCode }: { serviceCode: string | null }) {
    super(message, failure)
    this.serviceCode = serviceCode
  }
}

/** Callers without a compiler give anything. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function faultsInWords(errors: readonly RuleFault[]): string {
  return errors
    .map(({ pointer, parameter, detail }) => `${parameter ?? pointer?.slice(1) ?? ''} ${detail}`.trim())
    .join('; ')
}
