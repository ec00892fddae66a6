import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../../clock.ts'
import type { createClientAddress } from '../../../wire/client-address.ts'
import { keepConnectionOf } from '../../../wire/connection.ts'
import { sendProblem } from '../../../wire/problem.ts'
import { noteForLog, type ResultCode } from '../../../wire/request-log.ts'
import { apiPrefix } from '../prefix.ts'
import { type ApiThread, ThreadBusy, ThreadFailed } from './api-thread.ts'

type Passing = { thread: ApiThread; clock: Clock; clientAddressOf: ReturnType<typeof createClientAddress> }

/** Of one connection only, or written again for the response. */
const notPassedOn = [
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'date',
  'expect',
  'upgrade',
]

/** Of responses that are made and not yet read. A report may have 32 MB, and whoever has asked for it may read slowly. */
const unsentBytesMax = 67_108_864
/** Smaller ones are not counted: a few slow readers of reports keep nobody from the rest of the console. */
const largeBytes = 262_144

/** Passes every request below `/operator/v1` to the API's thread, and its response back. Nothing of it is read here. */
export function passOnRoute(app: FastifyInstance, { thread, clock, clientAddressOf }: Passing): void {
  let unsentBytes = 0
  function makeRoomFor(bytes: number, { raw }: FastifyReply): void {
    if (bytes < largeBytes) return
    if (unsentBytes + bytes > unsentBytesMax) throw new ThreadBusy('too many large responses are being read')
    unsentBytes += bytes
    raw.once('close', () => {
      unsentBytes -= bytes
    })
  }
  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    url: `${apiPrefix}/*`,
    handler: async (request, reply) => {
      try {
        const { status, headers, body, code, signedInAs } = await thread.ask({
          // The API has neither, and says what the path takes instead. To HEAD it would say that without a body.
          method: request.method === 'HEAD' ? 'OPTIONS' : request.method,
          url: request.raw.url!,
          headers: passedHeaders(request.raw.headers),
          body: (request.body as Uint8Array | undefined) ?? null,
          address: clientAddressOf(request.raw) ?? null,
          requestId: request.id,
          now: clock.now(),
        })
        if (signedInAs !== null) keepConnectionOf(request.raw, signedInAs)
        // A change is made by now, and its response is small.
        if (request.method === 'GET') makeRoomFor(body.byteLength, reply)
        // One of the API's own codes: the log and the metrics take any that comes from a list of ours.
        if (code !== null) noteForLog(request, { code: code as ResultCode })
        return reply
          .code(status)
          .headers(passedHeaders(headers))
          .send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
      } catch (error) {
        return unavailable(request, reply, error)
      }
    },
  })
}

export function passedHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string | string[]] =>
        header[1] !== undefined && !notPassedOn.includes(header[0]),
    ),
  )
}

/** The response if the thread gives none. Any other error is a bug, and is thrown again. */
export function unavailable(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof ThreadBusy || error instanceof ThreadFailed)) throw error
  const advice =
    error instanceof ThreadFailed && request.method !== 'GET'
      ? 'whether the change was made is not known: look at the audit trail before you repeat it'
      : 'try again'
  return sendProblem(request, reply, {
    code: 'UNAVAILABLE',
    detail: `${error.message}: ${advice}`,
    headers: { 'retry-after': '1' },
  })
}
