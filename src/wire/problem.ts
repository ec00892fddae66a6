import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authentication } from '../access/authenticate.ts'
import type { Rejection } from '../rules/rejection.ts'
import { closeAfter } from './connection.ts'
import { noteForLog } from './request-log.ts'

type RefusalCode =
  | Rejection['code']
  | Extract<Authentication, { ok: false }>['fault']['code']
  | 'RATE_LIMITED'
type HttpCode = 'INVALID_REQUEST' | 'NOT_FOUND' | 'INTERNAL_ERROR' | 'UNAVAILABLE'
export type ProblemCode = RefusalCode | HttpCode

/** The only table of statuses. `advice` is what the code's own page says: what it means and what to do. */
export const problems = {
  INVALID_REQUEST: {
    status: 400,
    title: 'The request breaks a rule',
    advice:
      'Nothing was recorded. "errors" lists every broken rule with its place; mend them all and send again.',
  },
  INVALID_SIGNATURE: {
    status: 401,
    title: 'The signature does not match',
    advice:
      'Sign exactly the bytes you send: X-Timestamp, a dot, then the raw body (award) or the tenantId (history). Compare bodyBytes and bodySha256 with your own: if they differ, something on the way changed the body. An unknown, expired or revoked key has the same answer.',
  },
  TIMESTAMP_OUT_OF_RANGE: {
    status: 401,
    title: 'X-Timestamp is outside the allowed range',
    advice:
      'X-Timestamp is milliseconds since 1970 in plain digits. Set your clock by serverTime and sign anew.',
  },
  TENANT_NOT_ALLOWED: {
    status: 403,
    title: 'The tenant is not among your allowedTenants',
    advice: 'Check tenantId; ask the operator to allow the tenant.',
  },
  PARTNER_SUSPENDED: {
    status: 403,
    title: 'The partner is suspended',
    advice:
      'New awards are refused until the operator resumes you. History and replays of known orders still work.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is nothing here',
    advice: 'Paths are matched byte for byte: no trailing slash, no other case.',
  },
  ORDER_ID_CONFLICT: {
    status: 409,
    title: 'The orderId was used for another award',
    advice:
      'This orderId was credited with other values: "differs" names the fields. The first award stands. Give each order an orderId of its own.',
  },
  AMOUNT_BELOW_MIN: {
    status: 422,
    title: 'The amount gives no whole EP',
    advice: '1000 raw units are 1 EP, floored. Nothing was recorded and the orderId is still free.',
  },
  PER_TX_CAP_EXCEEDED: {
    status: 422,
    title: 'The award exceeds the cap per award',
    advice: '"requested" EP are more than "limit". Nothing was recorded and the orderId is still free.',
  },
  DAILY_CAP_EXCEEDED: {
    status: 429,
    title: 'The award exceeds a daily cap',
    advice:
      'Nothing was recorded. The same order can succeed after resetsAt (Vietnam midnight); retrying earlier helps only if the operator raises the cap.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    advice: 'The operator set a request rate for you. Wait Retry-After seconds and send again.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'A bug of ours',
    advice: 'Send the same orderId again: an order is never credited twice. Tell the operator the requestId.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'Not available now',
    advice:
      'The outcome of an award may be unknown. Send the same orderId again after Retry-After: if it was credited, you get DUPLICATE.',
  },
} satisfies Record<ProblemCode, { status: number; title: string; advice: string }>

export type Problem = {
  code: ProblemCode
  /** One sentence for the partner's engineer. Never an address, a note, meta or a secret. */
  detail: string
  /** What the code adds to the body. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  /** The connection is closed after it. */
  closes?: boolean
  /** For the protocol's own statuses (405, 413, …), which share INVALID_REQUEST. */
  status?: number
}

export const problemType = 'application/problem+json; charset=utf-8'

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, body } = problemBody(problem, request.id)
  noteForLog(request, { code: problem.code })
  if (problem.closes) {
    reply.removeHeader('connection') // the framework's own, which would leave those behind it without a response
    closeAfter(reply.raw)
  }
  return reply
    .code(status)
    .headers({ ...problem.headers, 'content-type': problemType })
    .send(body)
}

/** RFC 9457, as text: answers outside the framework (broken requests on a raw socket) are the same. */
export function problemBody(problem: Problem, requestId: string): { status: number; body: string } {
  const kind = problems[problem.code]
  const status = problem.status ?? kind.status
  const body = JSON.stringify({
    type: `/docs/errors/${problem.code}`,
    title: kind.title,
    status,
    code: problem.code,
    detail: problem.detail,
    requestId,
    ...problem.members,
  })
  return { status, body }
}
