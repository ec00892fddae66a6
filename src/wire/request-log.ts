import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { systemClock } from '../clock.ts'
import { writeLogLine } from '../shortcuts/log-line.ts'
import type { ProblemCode } from './problems/catalog.ts'

/** The application fields of a request's log line. An allowlist, so that no personal data is logged by accident. */
export type LogNote = {
  partnerId?: string | undefined
  keyId?: string | undefined
  tenantId?: string
  code?: ResultCode
  /** Of a refusal by a cap: which cap, its value and the EP of the award. */
  cap?: 'perTx' | 'perPartnerDay' | 'perUserDay'
  limit?: number
  requested?: number
}

/** The code of a response, if it has one. */
export type ResultCode = ProblemCode | 'DUPLICATE'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until a field is added. */
    logNote: LogNote | null
  }
}

export function noteForLog(request: FastifyRequest, note: LogNote): void {
  const { logNote } = request
  request.logNote = logNote ? Object.assign(logNote, note) : note
}

/** What is known of a request once its response is sent. */
type Responded = {
  route: string | undefined
  status: number
  durationMs: number
  clientAddress: string | undefined
}

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Gives what writes one line per request, when its response is sent. Query, body and headers are left out: they hold
 * personal data.
 */
export function createRequestLog(log: Logger): (request: FastifyRequest, responded: Responded) => void {
  return (request, { route, status, durationMs, clientAddress }) => {
    if (!log.isLevelEnabled('info')) return
    const trace = request.headers.traceparent
    const note = request.logNote
    writeLogLine(log, {
      level: log.levels.values.info!,
      time: systemClock.now(),
      requestId: request.id,
      method: request.method,
      route: route ?? null,
      status,
      durationMs: Math.round(durationMs * 100) / 100,
      partnerId: note?.partnerId,
      keyId: note?.keyId,
      tenantId: note?.tenantId,
      code: note?.code,
      cap: note?.cap,
      limit: note?.limit,
      requested: note?.requested,
      clientAddress,
      traceparent: typeof trace === 'string' && traceparent.test(trace) ? trace : undefined,
      msg: 'request',
    })
  }
}

/** An error for the log, by allowlist too: database drivers attach rows and parameters to their errors. */
export function errorForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'a value that is not an Error was thrown' }
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {}
  return { name: error.name, message: error.message, stack: error.stack, ...cause }
}
