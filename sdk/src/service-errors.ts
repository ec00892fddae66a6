// Made from the catalog of errors by `npm run contract`. Do not edit.
import { type Failure, PartnerCreditError } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'

/** The codes of the service's errors. Each has its own class, with the members of that code. */
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

/**
 * The body is not strict JSON or breaks a field rule, the query breaks a rule, a history request has a body,
 * or the HTTP itself is malformed.
 */
export class InvalidRequestError extends PartnerCreditError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError'
  }
  readonly code = 'INVALID_REQUEST'
  /**
   * Every broken rule. Only for rules of the body and the query, not for those of HTTP (405, 413, …).
   * Otherwise empty.
   */
  readonly errors: readonly RuleFault[]

  constructor(message: string, failure: Failure, members: Pick<InvalidRequestError, 'errors'>) {
    super(message, failure)
    this.errors = members.errors
  }
}

/**
 * The signature does not match, a header is missing, empty or repeated, or the key is unknown, revoked or
 * expired. The response does not say which.
 */
export class InvalidSignatureError extends PartnerCreditError {
  static {
    InvalidSignatureError.prototype.name = 'InvalidSignatureError'
  }
  readonly code = 'INVALID_SIGNATURE'
  /** Number of body bytes that arrived. */
  readonly bodyBytes: number
  /** SHA-256 of the body that arrived, in hex. If yours differs, something changed the body on the way. */
  readonly bodySha256: string

  constructor(
    message: string,
    failure: Failure,
    members: Pick<InvalidSignatureError, 'bodyBytes' | 'bodySha256'>,
  ) {
    super(message, failure)
    this.bodyBytes = members.bodyBytes
    this.bodySha256 = members.bodySha256
  }
}

/**
 * X-Timestamp is not milliseconds in plain digits, or is too far from our clock. The SDK has already retried
 * once, with its clock corrected by serverTime.
 */
export class TimestampOutOfRangeError extends PartnerCreditError {
  static {
    TimestampOutOfRangeError.prototype.name = 'TimestampOutOfRangeError'
  }
  readonly code = 'TIMESTAMP_OUT_OF_RANGE'
  /** The service's clock, in milliseconds since 1970. */
  readonly serverTime: number
  /** Your timestamp minus serverTime. Only if you sent a number. Otherwise null. */
  readonly skewMs: number | null

  constructor(
    message: string,
    failure: Failure,
    members: Pick<TimestampOutOfRangeError, 'serverTime' | 'skewMs'>,
  ) {
    super(message, failure)
    this.serverTime = members.serverTime
    this.skewMs = members.skewMs
  }
}

/** tenantId is not, or no longer, among your allowedTenants. */
export class TenantNotAllowedError extends PartnerCreditError {
  static {
    TenantNotAllowedError.prototype.name = 'TenantNotAllowedError'
  }
  readonly code = 'TENANT_NOT_ALLOWED'
}

/** You sent a new award while you are suspended. History and known orders still work. */
export class PartnerSuspendedError extends PartnerCreditError {
  static {
    PartnerSuspendedError.prototype.name = 'PartnerSuspendedError'
  }
  readonly code = 'PARTNER_SUSPENDED'
}

/** There is no such path. Paths match byte for byte. */
export class NotFoundError extends PartnerCreditError {
  static {
    NotFoundError.prototype.name = 'NotFoundError'
  }
  readonly code = 'NOT_FOUND'
}

/** The orderId was credited before with another payload. The first award stands. */
export class OrderIdConflictError extends PartnerCreditError {
  static {
    OrderIdConflictError.prototype.name = 'OrderIdConflictError'
  }
  readonly code = 'ORDER_ID_CONFLICT'
  /** Names of the fields whose values differ from those of the first award. */
  readonly differs: readonly string[]
  /** The id of the first award. */
  readonly epTransactionId: string
  /** The time of the first award. ISO 8601, UTC, milliseconds. */
  readonly awardedAt: string

  constructor(
    message: string,
    failure: Failure,
    members: Pick<OrderIdConflictError, 'differs' | 'epTransactionId' | 'awardedAt'>,
  ) {
    super(message, failure)
    this.differs = members.differs
    this.epTransactionId = members.epTransactionId
    this.awardedAt = members.awardedAt
  }
}

/** amount is 1 to 999, which is less than 1 EP. */
export class AmountBelowMinError extends PartnerCreditError {
  static {
    AmountBelowMinError.prototype.name = 'AmountBelowMinError'
  }
  readonly code = 'AMOUNT_BELOW_MIN'
  /** The smallest amount that gives 1 EP. */
  readonly minimum: number

  constructor(message: string, failure: Failure, members: Pick<AmountBelowMinError, 'minimum'>) {
    super(message, failure)
    this.minimum = members.minimum
  }
}

/** The award's EP exceed the perTx cap. */
export class PerTxCapExceededError extends PartnerCreditError {
  static {
    PerTxCapExceededError.prototype.name = 'PerTxCapExceededError'
  }
  readonly code = 'PER_TX_CAP_EXCEEDED'
  /** The cap in EP. */
  readonly limit: number
  /** The EP of this award. */
  readonly requested: number

  constructor(
    message: string,
    failure: Failure,
    members: Pick<PerTxCapExceededError, 'limit' | 'requested'>,
  ) {
    super(message, failure)
    this.limit = members.limit
    this.requested = members.requested
  }
}

/** The EP would exceed perPartnerDay or perUserDay. The SDK does not retry it. */
export class DailyCapExceededError extends PartnerCreditError {
  static {
    DailyCapExceededError.prototype.name = 'DailyCapExceededError'
  }
  readonly code = 'DAILY_CAP_EXCEEDED'
  /** Which daily cap: perPartnerDay (yours in this tenant) or perUserDay (this user, from all partners). */
  readonly cap: 'perPartnerDay' | 'perUserDay'
  /** The cap in EP. */
  readonly limit: number
  /** The EP of this award. */
  readonly requested: number
  /** EP used of the cap today. Only for perPartnerDay: a user's total is never disclosed. Otherwise null. */
  readonly used: number | null
  /** The next midnight in Vietnam. ISO 8601, UTC, milliseconds. */
  readonly resetsAt: string

  constructor(
    message: string,
    failure: Failure,
    members: Pick<DailyCapExceededError, 'cap' | 'limit' | 'requested' | 'used' | 'resetsAt'>,
  ) {
    super(message, failure)
    this.cap = members.cap
    this.limit = members.limit
    this.requested = members.requested
    this.used = members.used
    this.resetsAt = members.resetsAt
  }
}

/**
 * You sent more requests per second than the operator allows you. The SDK has already waited and retried.
 */
export class RateLimitedError extends PartnerCreditError {
  static {
    RateLimitedError.prototype.name = 'RateLimitedError'
  }
  readonly code = 'RATE_LIMITED'
}

/** The service has a bug. The outcome of an award may be unknown. The SDK has already retried. */
export class InternalServiceError extends PartnerCreditError {
  static {
    InternalServiceError.prototype.name = 'InternalServiceError'
  }
  readonly code = 'INTERNAL_ERROR'
}

/**
 * The database is unavailable, too many awards are waiting, or the award was not durable within 5 s. The
 * outcome of an award may be unknown. The SDK has already retried.
 */
export class UnavailableError extends PartnerCreditError {
  static {
    UnavailableError.prototype.name = 'UnavailableError'
  }
  readonly code = 'UNAVAILABLE'
}
