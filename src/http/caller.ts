import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Authentication, authenticate } from '../access/authenticate.ts'
import type { Caller, KeyDirectory } from '../access/key-directory.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import type { Clock } from '../clock.ts'
import { keepConnectionOf } from '../wire/connection.ts'
import type { Problem } from '../wire/problem.ts'
import { headerValues } from '../shortcuts/header-values.ts'
import { noteForLog } from '../wire/request-log.ts'

/** What a request signs. `payloadName` says in the error text what the payload is. */
type Signed = { payload: string | Uint8Array; body: Uint8Array; payloadName: string }

export type CallerCheck = (
  request: FastifyRequest,
  signed: Signed,
) => { ok: true; caller: Caller } | { ok: false; problem: Problem; caller: Caller | null }

/**
 * Identifies the caller, first thing on both endpoints. On failure, holds the problem to send; the caller is known where
 * it only sends too often.
 */
export function createCallerCheck({
  keys,
  clock,
  clockWindowMs,
  rateLimit,
  onSigned,
}: {
  keys: KeyDirectory
  clock: Clock
  clockWindowMs: number
  rateLimit: RateLimit
  /** Called with how far X-Timestamp is ahead of our clock. */
  onSigned(request: { by: Caller; at: number; clockDifferenceMs: number }): void
}): CallerCheck {
  return (request, signed) => {
    const headers = {
      apiKey: headerValues(request.raw, 'x-api-key'),
      timestamp: headerValues(request.raw, 'x-timestamp'),
      signature: headerValues(request.raw, 'x-signature'),
    }
    const now = clock.now()
    const authentication = authenticate(headers, signed.payload, {
      keys,
      now,
      windowMs: clockWindowMs,
      onRefused: (owner) => noteForLog(request, { partnerId: owner?.partnerId, keyId: owner?.keyId }),
    })
    if (!authentication.ok)
      return { ok: false, problem: authenticationProblem(authentication.refusal, signed), caller: null }

    const { caller } = authentication
    keepConnectionOf(request.raw, caller.partnerId)
    onSigned({ by: caller, at: now, clockDifferenceMs: Number(headers.timestamp[0]) - now })
    noteForLog(request, { partnerId: caller.partnerId, keyId: caller.keyId })
    const { requestsPerSecond } = caller
    const waitSeconds =
      requestsPerSecond === null ? 0 : rateLimit(caller.partnerId, requestsPerSecond, clock.elapsed())
    if (waitSeconds === 0) return { ok: true, caller }
    return {
      ok: false,
      caller,
      problem: {
        code: 'RATE_LIMITED',
        detail: `you may send at most ${requestsPerSecond} requests per second`,
        headers: { 'retry-after': String(waitSeconds) },
      },
    }
  }
}

function authenticationProblem(
  refusal: Extract<Authentication, { ok: false }>['refusal'],
  signed: Signed,
): Problem {
  if (refusal.code === 'TIMESTAMP_OUT_OF_RANGE') {
    const { code, hint, ...members } = refusal
    const detail = ['X-Timestamp is not within the allowed range of our clock.', hint]
      .filter(Boolean)
      .join(' ')
    return { code, detail, members }
  }
  const bodyBytes = signed.body.length
  const bodySha256 = hash('sha256', signed.body)
  return {
    code: 'INVALID_SIGNATURE',
    detail: `X-Signature must be the lowercase hex HMAC-SHA-256, keyed with your secret, of X-Timestamp, a dot and ${signed.payloadName}; ${bodyBytes} body bytes arrived with SHA-256 ${bodySha256}`,
    members: { bodyBytes, bodySha256 },
  }
}
