import type { FastifyReply, FastifyRequest } from 'fastify'
import { closeAfter } from './connection.ts'
import { STATUS_CODES } from './node-http.ts'
import { type ProblemCode, problems } from './problems/catalog.ts'
import { noteForLog } from './request-log.ts'

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
  const { status, body } = problemBody(problem, request.id, reply.hasErrorPages)
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

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the listener serves /docs/errors. */
    hasErrorPages: boolean
  }
}

/**
 * The body of RFC 9457, as text. Responses outside the framework (to malformed requests on a raw socket) use it, too. Where there
 * is no page about the code, the type is about:blank, and the title then is the name of the status.
 */
export function problemBody(
  problem: Problem,
  requestId: string,
  hasErrorPages: boolean,
): { status: number; body: string } {
  const kind = problems[problem.code]
  const status = problem.status ?? kind.status
  const body = JSON.stringify({
    type: hasErrorPages ? `/docs/errors/${problem.code}` : 'about:blank',
    title: hasErrorPages ? kind.title : STATUS_CODES[status],
    status,
    code: problem.code,
    detail: problem.detail,
    requestId,
    ...problem.members,
  })
  return { status, body }
}
