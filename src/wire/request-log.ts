import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** What a request's log line may say beyond the protocol: an allow-list, so that nothing personal slips in. */
export type LogNote = { partnerId?: string; keyId?: string; tenantId?: string; code?: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until there is something to note. */
    logNote: LogNote | null
  }
}

export function noteForLog(request: FastifyRequest, note: LogNote): void {
  request.logNote = Object.assign(request.logNote ?? {}, note)
}

const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** One line for each request, when it is answered. Neither query nor body nor headers: they hold personal data. */
export function logRequest(log: Logger, request: FastifyRequest, status: number, durationMs: number): void {
  const trace = request.headers.traceparent
  log.info(
    {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status,
      durationMs: Math.round(durationMs * 100) / 100,
      ...request.logNote,
      traceparent: typeof trace === 'string' && traceparent.test(trace) ? trace : undefined,
    },
    'request',
  )
}

/** An error for the log, by allow-list too: drivers hang rows and parameters on theirs. */
export function errorForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'something that is not an Error was thrown' }
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {}
  return { name: error.name, message: error.message, stack: error.stack, ...cause }
}
