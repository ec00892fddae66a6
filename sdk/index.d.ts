// Made from the types in sdk/src by `npm run contract`. Do not edit.

/**
 * The client of the service: signs every request, retries it where that is safe, and throws errors that say what to do.
 * One object serves any number of concurrent calls. Key and secret are in private fields: neither a log nor JSON shows
 * them.
 *
 * @example
 * ```ts
 * import { PartnerCredit } from 'partner-credit-client'
 *
 * const credit = new PartnerCredit({
 *   baseUrl: process.env.BASE_URL, // https://credit.example.com
 *   apiKey: process.env.API_KEY,
 *   signingSecret: process.env.SIGNING_SECRET,
 * })
 * const { points } = await credit.award({
 *   tenantId: 't1',
 *   orderId: 'order-1001',
 *   userEmail: 'ann@example.com',
 *   amount: 5250,
 * })
 * ```
 */
export declare class PartnerCredit {
  #private
  /** Without a slash at its end. */
  readonly baseUrl: string
  /**
   * Your awards in a tenant, newest first. `awards(…)` iterates over all pages; `awards.page(…)` gets one.
   *
   * @example
   * ```ts
   * import { PartnerCredit } from 'partner-credit-client'
   *
   * declare const credit: PartnerCredit
   * for await (const { orderId, points } of credit.awards({ tenantId: 't1' })) console.log(orderId, points)
   * ```
   */
  readonly awards: Awards
  constructor(options: PartnerCreditOptions)
  /**
   * Credits an order, once. Calling it again with the same order is safe: it resolves with the first award and
   * `duplicate: true`. After an error whose `mayBeCredited` is true, or a signal that ended the call, the order may or may not
   * have been credited; make the same call later to find out.
   */
  award(order: AwardRequest, options?: CallOptions): Promise<Award>
}

export type PartnerCreditOptions = {
  /** Where the service is, without /v1: `https://credit.example.com`. http is for loopback addresses only. */
  baseUrl: string | URL | undefined
  /** `pck_…`; undefined is rejected with a message, so that you can pass an environment variable as it is. */
  apiKey: string | undefined
  /** `pcs_…`; the whole text, not decoded. */
  signingSecret: string | undefined
  /** Timeout of each attempt, until the whole response has arrived. 10,000 by default. */
  timeoutMs?: number | undefined
  /** How often a failed attempt is retried. 4 by default; 0: never. */
  retries?: number | undefined
  /** Used instead of the global fetch, for example one that uses a proxy. */
  fetch?: Fetch | undefined
}

export type Award = {
  epTransactionId: string
  status: 'COMPLETED'
  orderId: string
  /** EP credited. */
  points: number
  /** True if the order had been credited before, perhaps by an attempt whose response was lost. */
  duplicate: boolean
  /** EP that you can still award in this tenant today; null for a duplicate. */
  partnerDayRemaining: number | null
  /** The next Vietnam midnight, ISO 8601; null for a duplicate. */
  dayResetsAt: string | null
  /** True in a sandbox tenant: the award follows every rule, but does not count. */
  sandbox: boolean
  requestId: string
}

export type AwardRequest = {
  /** One of your allowedTenants. */
  tenantId: string
  /** 1 to 200 characters. One orderId is credited once, forever: store it in your database before the call. */
  orderId: string
  /** ASCII; A–Z become a–z. */
  userEmail: string
  /** A whole number of raw units; 1000 of them are 1 EP. */
  amount: number
  /** At most 500 characters. Shown in the user's EP history. */
  note?: string | null | undefined
  /** Your own data, kept as sent. Put nothing in it that changes between attempts: that would be a conflict. */
  meta?: Record<string, unknown> | null | undefined
}

export type AwardHistoryItem = {
  epTransactionId: string
  /** Every award has one today; null is reserved for credits without an order. */
  orderId: string | null
  /** In lowercase. */
  userEmail: string
  /** EP credited. */
  points: number
  /** Null if none was sent. */
  note: string | null
  /** The service's time of the award, ISO 8601. */
  awardedAt: string
}

export type AwardHistoryPage = {
  tenantId: string
  /** Newest first. */
  items: AwardHistoryItem[]
  /** Cursor of the next page; null on the last page. */
  nextCursor: string | null
  /** True in a sandbox tenant, whose awards do not count. */
  sandbox: boolean
}

export type Awards = {
  /** All your awards in the tenant, newest first. Each page is requested when you reach it. */
  (query: AwardsQuery, options?: CallOptions): AsyncGenerator<AwardHistoryItem, void, undefined>
  /** One page. */
  page(query: AwardsPageQuery, options?: CallOptions): Promise<AwardHistoryPage>
}

export type AwardsPageQuery = {
  tenantId: string
  /** Awards on the page, 1 to 100; the service's default is 20. */
  limit?: number | undefined
  /** The nextCursor of the previous page. */
  cursor?: string | null | undefined
}

export type AwardsQuery = {
  tenantId: string
  /** Awards per request, 1 to 100; 100 by default. It does not limit how many you get. */
  pageSize?: number | undefined
  /** Start after this page instead of with the newest award. */
  cursor?: string | null | undefined
}

export type CallOptions = {
  /** Ends the call, including its retries and waits, with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Timeout of each attempt of this call, instead of the client's. */
  timeoutMs?: number | undefined
}

/**
 * The X-Signature of a request that you send yourself: HMAC-SHA-256 of the timestamp, a dot and the payload, in
 * lowercase hex. Send exactly the bytes that you sign.
 *
 * @example
 * ```ts
 * import { sign } from 'partner-credit-client'
 *
 * const signature = await sign({ signingSecret: 'pcs_example', timestamp: '1763182800000', payload: '{"a":1}' })
 * ```
 */
export declare function sign({
  signingSecret,
  ...signed
}: Signed & {
  signingSecret: string
}): Promise<string>

/** The service could not be reached, or the connection broke. An award may have been credited nevertheless. */
export declare class ConnectionError extends PartnerCreditError {
  readonly code = 'CONNECTION_FAILED'
  constructor(
    message: string,
    {
      requestId,
      cause,
    }: {
      requestId: string
      cause: unknown
    },
  )
}

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

/** The call is invalid, and nothing was sent. Every broken rule is in `errors`. */
export declare class InvalidArgumentError extends PartnerCreditError {
  readonly code = 'INVALID_ARGUMENT'
  readonly errors: readonly RuleFault[]
  constructor(what: string, errors: readonly RuleFault[])
}

/** Everything that this package throws is one of these, or the reason of the signal that you aborted. */
export declare abstract class PartnerCreditError extends Error {
  abstract readonly code: string
  readonly status: number | null
  readonly requestId: string | null
  readonly retryable: boolean
  readonly retryAfterMs: number | null
  /** True if the response was about a sandbox tenant; false without a response, too. */
  readonly sandbox: boolean
  /** Number of requests sent, including retries. */
  attempts: number
  /**
   * True if the outcome of an award is unknown: an attempt of this call ended without a response, with a 5xx or with one that
   * is not the service's, and no later attempt has settled it. Keep the order and make the same call later to find out, even
   * if `retryable` is false. Always false for a list of awards.
   */
  mayBeCredited: boolean
  constructor(message: string, { status, requestId, retryable, retryAfterMs, sandbox, cause }: Failure)
  /** For structured logs: JSON of a plain Error has neither its name nor its message. */
  toJSON(): Record<string, unknown>
}

/** No complete response arrived within `timeoutMs`. An award may have been credited nevertheless. */
export declare class TimeoutError extends PartnerCreditError {
  readonly code = 'TIMEOUT'
  constructor(
    message: string,
    {
      requestId,
    }: {
      requestId: string
    },
  )
}

/** The response is not one of the service: it came from a proxy, another host or a newer version. */
export declare class UnexpectedResponseError extends PartnerCreditError {
  readonly code = 'UNEXPECTED_RESPONSE'
  /** The `code` of the response, if it has one that this version does not know. */
  readonly serviceCode: string | null
  constructor(
    message: string,
    failure: Failure,
    {
      serviceCode,
    }: {
      serviceCode: string | null
    },
  )
}

/** A broken rule: its place in the award or in the query, and what is wrong. */
export type RuleFault = {
  /** JSON Pointer to the place in the body; empty for the body as a whole. */
  pointer?: string
  /** Name of the query parameter. */
  parameter?: string
  /** What is wrong, for people. */
  detail: string
}

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
export declare class InvalidRequestError extends PartnerCreditError {
  readonly code = 'INVALID_REQUEST'
  /**
   * Every broken rule. Only for rules of the body and the query, not for those of HTTP (405, 413, …).
   * Otherwise empty.
   */
  readonly errors: readonly RuleFault[]
  constructor(message: string, failure: Failure, members: Pick<InvalidRequestError, 'errors'>)
}

/**
 * The signature does not match, a header is missing, empty or repeated, or the key is unknown, revoked or
 * expired. The response does not say which.
 */
export declare class InvalidSignatureError extends PartnerCreditError {
  readonly code = 'INVALID_SIGNATURE'
  /** Number of body bytes that arrived. */
  readonly bodyBytes: number
  /** SHA-256 of the body that arrived, in hex. If yours differs, something changed the body on the way. */
  readonly bodySha256: string
  constructor(
    message: string,
    failure: Failure,
    members: Pick<InvalidSignatureError, 'bodyBytes' | 'bodySha256'>,
  )
}

/**
 * X-Timestamp is not milliseconds in plain digits, or is too far from our clock. The SDK has already retried
 * once, with its clock corrected by serverTime.
 */
export declare class TimestampOutOfRangeError extends PartnerCreditError {
  readonly code = 'TIMESTAMP_OUT_OF_RANGE'
  /** The service's clock, in milliseconds since 1970. */
  readonly serverTime: number
  /** Your timestamp minus serverTime. Only if you sent a number. Otherwise null. */
  readonly skewMs: number | null
  constructor(
    message: string,
    failure: Failure,
    members: Pick<TimestampOutOfRangeError, 'serverTime' | 'skewMs'>,
  )
}

/** tenantId is not, or no longer, among your allowedTenants. */
export declare class TenantNotAllowedError extends PartnerCreditError {
  readonly code = 'TENANT_NOT_ALLOWED'
}

/** You sent a new award while you are suspended. History and known orders still work. */
export declare class PartnerSuspendedError extends PartnerCreditError {
  readonly code = 'PARTNER_SUSPENDED'
}

/** There is no such path. Paths match byte for byte. */
export declare class NotFoundError extends PartnerCreditError {
  readonly code = 'NOT_FOUND'
}

/** The orderId was credited before with another payload. The first award stands. */
export declare class OrderIdConflictError extends PartnerCreditError {
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
  )
}

/** amount is 1 to 999, which is less than 1 EP. */
export declare class AmountBelowMinError extends PartnerCreditError {
  readonly code = 'AMOUNT_BELOW_MIN'
  /** The smallest amount that gives 1 EP. */
  readonly minimum: number
  constructor(message: string, failure: Failure, members: Pick<AmountBelowMinError, 'minimum'>)
}

/** The award's EP exceed the perTx cap. */
export declare class PerTxCapExceededError extends PartnerCreditError {
  readonly code = 'PER_TX_CAP_EXCEEDED'
  /** The cap in EP. */
  readonly limit: number
  /** The EP of this award. */
  readonly requested: number
  constructor(message: string, failure: Failure, members: Pick<PerTxCapExceededError, 'limit' | 'requested'>)
}

/** The EP would exceed perPartnerDay or perUserDay. The SDK does not retry it. */
export declare class DailyCapExceededError extends PartnerCreditError {
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
  )
}

/**
 * You sent more requests per second than the operator allows you. The SDK has already waited and retried.
 */
export declare class RateLimitedError extends PartnerCreditError {
  readonly code = 'RATE_LIMITED'
}

/** The service has a bug. The outcome of an award may be unknown. The SDK has already retried. */
export declare class InternalServiceError extends PartnerCreditError {
  readonly code = 'INTERNAL_ERROR'
}

/**
 * The database is unavailable, too many awards are waiting, or the award was not durable within 5 s. The
 * outcome of an award may be unknown. The SDK has already retried.
 */
export declare class UnavailableError extends PartnerCreditError {
  readonly code = 'UNAVAILABLE'
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What is signed: X-Timestamp as it is sent, and an award's raw body or the tenantId of a history request. */
type Signed = {
  timestamp: string | number
  payload: string | Uint8Array
}

export {}
