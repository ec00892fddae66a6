import type { Authentication } from '../../access/authenticate.ts'
import type { Rejection } from '../../rules/rejection.ts'
import { brokenRule, ep, epTransactionId, dateTime, type MemberSchema } from './member-schema.ts'

type RefusalCode =
  | Rejection['code']
  | Extract<Authentication, { ok: false }>['refusal']['code']
  | 'RATE_LIMITED'
type HttpCode = 'INVALID_REQUEST' | 'NOT_FOUND' | 'INTERNAL_ERROR' | 'UNAVAILABLE'
export type ProblemCode = RefusalCode | HttpCode

type CatalogEntry = {
  status: number
  title: string
  /** When the service responds with it. */
  when: string
  /** What the partner's engineer should know and do. */
  advice: string
  /** Whether sending the request again can help. */
  retry: string
  /** What the body has beyond the members that all errors have. */
  members: Readonly<Record<string, MemberSchema>>
  /** The names of members that may be absent. */
  optional?: readonly string[]
  /** Headers that come with it, and what they mean. */
  headers?: Readonly<Record<string, string>>
  /** What a user of the SDK should know beyond this. */
  sdkNote?: string
}

/**
 * Every error of the service, and the only place that describes it. The responses, the JSON schemas, the OpenAPI
 * document, the pages under /docs/errors, the table in docs/partner/errors.md and the SDK's error classes are all
 * made from this table. Run `npm run contract` after a change.
 */
export const problems: Readonly<Record<ProblemCode, CatalogEntry>> = {
  INVALID_REQUEST: {
    status: 400,
    title: 'The request breaks a rule',
    when: 'The body is not strict JSON or breaks a field rule, the query breaks a rule, a history request has a body, or the HTTP itself is malformed.',
    advice:
      'Nothing was recorded. "errors" lists every broken rule and its place. Fix them all and send the request again.',
    retry: 'No. Fix the request first.',
    members: {
      errors: {
        type: 'array',
        minItems: 1,
        description:
          'Every broken rule. Only for rules of the body and the query, not for those of HTTP (405, 413, …).',
        items: brokenRule,
      },
    },
    optional: ['errors'],
  },
  INVALID_SIGNATURE: {
    status: 401,
    title: 'The signature does not match',
    when: 'The signature does not match, a header is missing, empty or repeated, or the key is unknown, revoked or expired. The response does not say which.',
    advice:
      'Sign exactly the bytes you send: X-Timestamp, a dot, then the raw body (award) or the tenantId (history). Compare bodyBytes and bodySha256 with your own: if they differ, something changed the body on the way. An unknown, expired or revoked key gets the same response.',
    retry: 'After you have fixed the signature.',
    members: {
      bodyBytes: {
        type: 'integer',
        minimum: 0,
        description: 'Number of body bytes that arrived.',
        examples: [88],
      },
      bodySha256: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description:
          'SHA-256 of the body that arrived, in hex. If yours differs, something changed the body on the way.',
        examples: ['16c6a1ec8427ee01751b80c4a44ffca3d5138e18739353ecc9557f256b1c8631'],
      },
    },
  },
  TIMESTAMP_OUT_OF_RANGE: {
    status: 401,
    title: 'X-Timestamp is outside the allowed range',
    when: 'X-Timestamp is not milliseconds in plain digits, or is too far from our clock.',
    advice:
      'X-Timestamp is milliseconds since 1970 in plain digits. Set your clock by serverTime, then sign the request again.',
    retry: 'After you have set the clock, with a new timestamp and a new signature.',
    members: {
      serverTime: {
        type: 'integer',
        description: "The service's clock, in milliseconds since 1970.",
        examples: [1_794_710_669_013],
      },
      skewMs: {
        type: 'integer',
        description: 'Your timestamp minus serverTime. Only if you sent a number.',
        examples: [-3_600_000],
      },
    },
    optional: ['skewMs'],
    sdkNote: 'The SDK has already retried once, with its clock corrected by serverTime.',
  },
  TENANT_NOT_ALLOWED: {
    status: 403,
    title: 'The tenant is not among your allowedTenants',
    when: 'tenantId is not, or no longer, among your allowedTenants.',
    advice: 'Check tenantId, or ask the operator to allow the tenant.',
    retry: 'After the operator has allowed the tenant.',
    members: {},
  },
  PARTNER_SUSPENDED: {
    status: 403,
    title: 'The partner is suspended',
    when: 'You sent a new award while you are suspended. History and known orders still work.',
    advice:
      'Ask the operator to resume you. Until then, new awards are refused; history and replays of known orders still work.',
    retry: 'After the operator has resumed you.',
    members: {},
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    when: 'There is no such path. Paths match byte for byte.',
    advice:
      'Check the base URL and the path. Paths match byte for byte: no trailing slash, no change of case.',
    retry: 'No. Check the path.',
    members: {},
  },
  ORDER_ID_CONFLICT: {
    status: 409,
    title: 'The orderId was used for another award',
    when: 'The orderId was credited before with another payload. The first award stands.',
    advice:
      'The first award stands. "differs" names the fields with other values. Give each order its own orderId. An orderId is used once in all your tenants together, sandbox tenants included: if "differs" names tenantId, a test may have used the orderId of a real order. Give test orders a prefix of their own, such as "test-".',
    retry: 'No. Another order needs its own orderId.',
    members: {
      differs: {
        type: 'array',
        minItems: 1,
        description: 'Names of the fields whose values differ from those of the first award.',
        items: { type: 'string', enum: ['tenantId', 'userEmail', 'amount', 'note', 'meta'] },
        examples: [['amount']],
      },
      epTransactionId: { ...epTransactionId, description: 'The id of the first award.' },
      awardedAt: { ...dateTime, description: 'The time of the first award. ISO 8601, UTC, milliseconds.' },
    },
  },
  AMOUNT_BELOW_MIN: {
    status: 422,
    title: 'Amount is below 1 EP',
    when: 'amount is 1 to 999, which is less than 1 EP.',
    advice: '1000 raw units are 1 EP, rounded down. Nothing was recorded and the orderId is still free.',
    retry: 'No. This amount is less than 1 EP.',
    members: { minimum: ep('The smallest amount that gives 1 EP.', 1000) },
  },
  PER_TX_CAP_EXCEEDED: {
    status: 422,
    title: 'The award exceeds the cap per award',
    when: "The award's EP exceed the perTx cap.",
    advice: '"requested" is more than "limit". Nothing was recorded and the orderId is still free.',
    retry: 'After the operator has raised the cap.',
    members: { limit: ep('The cap in EP.', 100), requested: ep('The EP of this award.', 250) },
  },
  DAILY_CAP_EXCEEDED: {
    status: 429,
    title: 'The award exceeds a daily cap',
    when: 'The EP would exceed perPartnerDay or perUserDay.',
    advice:
      'Nothing was recorded. The same order can succeed after resetsAt (midnight in Vietnam). An earlier retry succeeds only if the operator raises the cap.',
    retry: 'Yes, after resetsAt.',
    members: {
      cap: {
        type: 'string',
        enum: ['perPartnerDay', 'perUserDay'],
        description:
          'Which daily cap: perPartnerDay (yours in this tenant) or perUserDay (this user, from all partners).',
        examples: ['perPartnerDay'],
      },
      limit: ep('The cap in EP.', 10),
      requested: ep('The EP of this award.', 5),
      used: ep("EP used of the cap today. Only for perPartnerDay: a user's total is never disclosed.", 8),
      resetsAt: {
        ...dateTime,
        description: 'The next midnight in Vietnam. ISO 8601, UTC, milliseconds.',
        examples: ['2026-11-15T17:00:00.000Z'],
      },
    },
    optional: ['used'],
    headers: { 'Retry-After': 'Seconds until resetsAt.' },
    sdkNote: 'The SDK does not retry it.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    when: 'You sent more requests per second than the operator allows you.',
    advice: 'Wait Retry-After seconds, then send the request again.',
    retry: 'Yes, after Retry-After.',
    members: {},
    headers: { 'Retry-After': 'Seconds to wait.' },
    sdkNote: 'The SDK has already waited and retried.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    when: 'The service has a bug. The outcome of an award may be unknown.',
    advice: 'Send the same orderId again: an order is never credited twice. Give the operator the requestId.',
    retry: 'Yes. An order is never credited twice.',
    members: {},
    sdkNote: 'The SDK has already retried.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'Temporarily unavailable',
    when: 'The database is unavailable, too many awards are waiting, or the award was not durable within 5 s. The outcome of an award may be unknown.',
    advice: 'Send the same orderId again after Retry-After. If it was credited, you get DUPLICATE.',
    retry: 'Yes, after Retry-After.',
    members: {},
    headers: { 'Retry-After': 'Seconds to wait.' },
    sdkNote: 'The SDK has already retried.',
  },
}

export const problemCodes = Object.keys(problems) as ProblemCode[]
