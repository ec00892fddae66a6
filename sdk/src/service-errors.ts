import { type Failure, PartnerCreditError, type RuleFault } from './errors.ts'

/** What the service refuses with: one class for each code of its contract, with the members of that code. */
export type ServiceErrorCode =
  | 'INVALID_REQUEST'
  | 'INVALID_SIGNATURE'
  | 'TIMESTAMP_OUT_OF_RANGE'
  | 'TENANT_NOT_ALLOWED'
  | 'PARTNER_SUSPENDED'
  | 'NOT_FOUND'
  | 'ORDER_ID_CONFLICT'
  | 'AMOUNT_BELOW_MIN'
  | 'PER_TX_CAP_EXCEEDED'
  | 'DAILY_CAP_EXCEEDED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'UNAVAILABLE'

/** A rule of the award or of the query is broken; nothing was recorded. */
export class InvalidRequestError extends PartnerCreditError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError'
  }
  readonly code = 'INVALID_REQUEST'
  /** Every broken rule; empty where the HTTP itself was refused (405, 413, 415, …). */
  readonly errors: readonly RuleFault[]

  constructor(message: string, failure: Failure, { errors }: { errors: readonly RuleFault[] }) {
    super(message, failure)
    this.errors = errors
  }
}

/** The signature does not match, or the key is unknown, revoked or expired: the service does not say which. */
export class InvalidSignatureError extends PartnerCreditError {
  static {
    InvalidSignatureError.prototype.name = 'InvalidSignatureError'
  }
  readonly code = 'INVALID_SIGNATURE'
  /** What arrived. If it is not what was sent, something on the way changed the body. */
  readonly bodyBytes: number
  readonly bodySha256: string

  constructor(
    message: string,
    failure: Failure,
    { bodyBytes, bodySha256 }: { bodyBytes: number; bodySha256: string },
  ) {
    super(message, failure)
    this.bodyBytes = bodyBytes
    this.bodySha256 = bodySha256
  }
}

/** The clocks differ by too much, even after one correction by `serverTime`. */
export class TimestampOutOfRangeError extends PartnerCreditError {
  static {
    TimestampOutOfRangeError.prototype.name = 'TimestampOutOfRangeError'
  }
  readonly code = 'TIMESTAMP_OUT_OF_RANGE'
  /** The service's clock, in milliseconds since 1970. */
  readonly serverTime: number
  /** What was sent minus `serverTime`. */
  readonly skewMs: number | null

  constructor(
    message: string,
    failure: Failure,
    { serverTime, skewMs }: { serverTime: number; skewMs: number | null },
  ) {
    super(message, failure)
    this.serverTime = serverTime
    this.skewMs = skewMs
  }
}

/** tenantId is not, or no longer, among your allowedTenants. */
export class TenantNotAllowedError extends PartnerCreditError {
  static {
    TenantNotAllowedError.prototype.name = 'TenantNotAllowedError'
  }
  readonly code = 'TENANT_NOT_ALLOWED'
}

/** New awards are refused until the operator resumes you. History and known orders still work. */
export class PartnerSuspendedError extends PartnerCreditError {
  static {
    PartnerSuspendedError.prototype.name = 'PartnerSuspendedError'
  }
  readonly code = 'PARTNER_SUSPENDED'
}

/** There is no such path: look at baseUrl. */
export class NotFoundError extends PartnerCreditError {
  static {
    NotFoundError.prototype.name = 'NotFoundError'
  }
  readonly code = 'NOT_FOUND'
}

/** The orderId was credited with another payload. The first award stands. */
export class OrderIdConflictError extends PartnerCreditError {
  static {
    OrderIdConflictError.prototype.name = 'OrderIdConflictError'
  }
  readonly code = 'ORDER_ID_CONFLICT'
  /** The names of the fields that differ. */
  readonly differs: readonly string[]
  /** Of the first award. */
  readonly epTransactionId: string
  readonly awardedAt: string

  constructor(
    message: string,
    failure: Failure,
    members: { differs: readonly string[]; epTransactionId: string; awardedAt: string },
  ) {
    super(message, failure)
    this.differs = members.differs
    this.epTransactionId = members.epTransactionId
    this.awardedAt = members.awardedAt
  }
}

/** The amount gives no whole EP. */
export class AmountBelowMinError extends PartnerCreditError {
  static {
    AmountBelowMinError.prototype.name = 'AmountBelowMinError'
  }
  readonly code = 'AMOUNT_BELOW_MIN'
  readonly minimum: number

  constructor(message: string, failure: Failure, { minimum }: { minimum: number }) {
    super(message, failure)
    this.minimum = minimum
  }
}

/** The award's EP exceed the cap per award. */
export class PerTxCapExceededError extends PartnerCreditError {
  static {
    PerTxCapExceededError.prototype.name = 'PerTxCapExceededError'
  }
  readonly code = 'PER_TX_CAP_EXCEEDED'
  /** In EP. */
  readonly limit: number
  readonly requested: number

  constructor(message: string, failure: Failure, { limit, requested }: { limit: number; requested: number }) {
    super(message, failure)
    this.limit = limit
    this.requested = requested
  }
}

/** The EP would exceed a cap of the day. It is never retried for you: the same order can succeed after `resetsAt`. */
export class DailyCapExceededError extends PartnerCreditError {
  static {
    DailyCapExceededError.prototype.name = 'DailyCapExceededError'
  }
  readonly code = 'DAILY_CAP_EXCEEDED'
  readonly cap: 'perPartnerDay' | 'perUserDay'
  /** In EP. */
  readonly limit: number
  readonly requested: number
  /** The next Vietnam midnight, ISO 8601. */
  readonly resetsAt: string
  /** For perPartnerDay. What a user has received from others is told to nobody: null. */
  readonly used: number | null

  constructor(
    message: string,
    failure: Failure,
    members: Pick<DailyCapExceededError, 'cap' | 'limit' | 'requested' | 'resetsAt' | 'used'>,
  ) {
    super(message, failure)
    this.cap = members.cap
    this.limit = members.limit
    this.requested = members.requested
    this.resetsAt = members.resetsAt
    this.used = members.used
  }
}

/** More requests a second than the operator set for you, still so after the retries. */
export class RateLimitedError extends PartnerCreditError {
  static {
    RateLimitedError.prototype.name = 'RateLimitedError'
  }
  readonly code = 'RATE_LIMITED'
}

/** A bug of the service. An award may have been credited all the same. */
export class InternalServiceError extends PartnerCreditError {
  static {
    InternalServiceError.prototype.name = 'InternalServiceError'
  }
  readonly code = 'INTERNAL_ERROR'
}

/** The service cannot answer now. An award may have been credited all the same. */
export class UnavailableError extends PartnerCreditError {
  static {
    UnavailableError.prototype.name = 'UnavailableError'
  }
  readonly code = 'UNAVAILABLE'
}
