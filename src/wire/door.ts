import type { IncomingMessage, Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { Unavailable } from '../ledger/faults.ts'
import { answerBrokenRequests, nothingHere } from './broken-request.ts'
import { headerValues } from './header-values.ts'
import { limits } from './limits.ts'
import { createServer } from './node-http.ts'
import { type Problem, sendProblem } from './problem.ts'
import { requestIdOf } from './request-id.ts'
import { errorForLog, logRequest } from './request-log.ts'
import { together } from './together.ts'
import { watchResponses } from './unfinished-responses.ts'
import { refuseUnread } from './unread-body.ts'

/** An HTTP listener with the manners of the house: limits, request ids, problem+json, health, a clean end. */
export type Door = {
  app: FastifyInstance
  listen(at: { host: string; port: number }): Promise<string>
  /**
   * Answers what is in flight, takes no new connection, and is gone within moments. Open connections may still bring a
   * request for so long; its answer says `connection: close`. Whoever sends one just after that finds it closed.
   */
  drain(graceMs?: number): Promise<void>
}

const drainGraceMs = 200
const drainMaxMs = 6_000
const readyWithinMs = 1_000
const retryAfterSeconds = '1'

export function createDoor({ log, ready }: { log: Logger; ready(): Promise<string[]> }): Door {
  let draining = false

  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false, // checked below, for an answer in our own form
  })
  server.maxConnections = limits.connectionsMax
  const unfinished = watchResponses(server)
  server.on('checkExpectation', (request, response) => {
    request.headers.expect = 'unmet'
    server.emit('request', request, response)
  })

  const app = Fastify({
    serverFactory: (handler) => server.on('request', together(handler)),
    clientErrorHandler: answerBrokenRequests(server, unfinished),
    // A path that cannot be decoded never reaches the hooks below; the framework's own answer would repeat it.
    frameworkErrors: (_, request, reply) => {
      const headers = { 'x-request-id': request.id, ...close }
      sendProblem(request, reply, { ...nothingHere, headers })
      logRequest(log, request, reply.statusCode, reply.elapsedTime)
    },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: limits.bodyBytesMax,
    return503OnClosing: false,
    exposeHeadRoutes: false,
  })
  const methodsOf = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()])
  })

  // The framework's parsers would repair, coerce or refuse in their own words: every body is bytes here.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))

  app.decorateRequest('logNote', null)
  // Hooks with a callback: nearly every request passes them without anything to wait for.
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id)
    reply.header('cache-control', 'no-store')
    // Node drops what was sent right behind a request that asks for an upgrade: nobody shall wait for its answer.
    if (draining || request.raw.headers.upgrade !== undefined) reply.header('connection', 'close')
    const problem = protocolProblem(request, methodsOf)
    if (problem === null) next()
    else if (problem.headers?.connection === 'close') sendProblem(request, reply, problem)
    else void refuseUnread(request, reply, problem)
  })
  app.addHook('onResponse', (request, reply, next) => {
    logRequest(log, request, reply.statusCode, reply.elapsedTime)
    next()
  })
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, nothingHere))
  app.setErrorHandler((error: FastifyError, request, reply) => sendFault(log, error, request, reply))

  app.get('/livez', async () => ({ status: 'live' }))
  app.get('/readyz', async (request, reply) => {
    try {
      if (draining) throw new Unavailable('the service is shutting down')
      return { status: 'ready', warnings: await within(readyWithinMs, ready()) }
    } catch (error) {
      const detail = error instanceof Unavailable ? error.message : 'the store does not answer'
      return sendProblem(request, reply, {
        code: 'UNAVAILABLE',
        detail,
        headers: { 'retry-after': retryAfterSeconds },
      })
    }
  })

  return {
    app,
    listen: (at) => app.listen(at),
    async drain(graceMs = drainGraceMs) {
      draining = true
      NetServer.prototype.close.call(server) // only the listening socket: idle connections have their grace
      for (let waited = 0; (await connectionsOf(server)) > 0 && waited < graceMs; waited += 20)
        await sleep(20)
      await nextTurn() // what has arrived by now is read first: its connection is not idle
      server.closeIdleConnections()
      for (let waited = 0; unfinished.count() > 0 && waited < drainMaxMs; waited += 20) await sleep(20)
      server.closeAllConnections()
      await app.close()
    },
  }
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

/** Our rules check, not the framework's: its schema compilers would be loaded at every start for nothing. */
function noSchemas(): never {
  throw new Error('a route has a schema: src/rules is where requests are checked')
}

const close = { connection: 'close' }

/** What can be refused before a byte of the body is read: path and method, then size. */
function protocolProblem(request: FastifyRequest, methodsOf: Map<string, string[]>): Problem | null {
  const { raw } = request
  const [path = ''] = raw.url!.split('?', 1)
  const invalid = (status: number, detail: string, headers: Record<string, string> = {}): Problem => ({
    code: 'INVALID_REQUEST',
    status,
    detail,
    headers,
  })
  if (raw.rawHeaders.length > 2 * limits.headersMax) {
    return invalid(431, `more than ${limits.headersMax} headers`, close)
  }
  if (raw.url!.length > limits.targetBytesMax) {
    return invalid(414, `the request target exceeds ${limits.targetBytesMax} bytes`, close)
  }
  if (hasDoubtfulFraming(raw)) return invalid(400, 'only Transfer-Encoding: chunked is understood', close)
  if (raw.headers.host === undefined && raw.httpVersion === '1.1')
    return invalid(400, 'a Host header is required', close)

  // The router is more generous than we are (it accepts absolute targets and decodes): the path must match byte for byte.
  if (!request.is404 && path !== request.routeOptions.url) return nothingHere
  if (request.is404) {
    const allow = methodsOf.get(path)?.join(', ')
    return allow === undefined ? nothingHere : invalid(405, `this path takes ${allow}`, { allow })
  }
  if (raw.headers.expect === 'unmet') return invalid(417, 'only Expect: 100-continue is understood', close)
  if (Number(raw.headers['content-length']) > limits.bodyBytesMax) return tooLarge
  return null
}

const tooLarge: Problem = {
  code: 'INVALID_REQUEST',
  status: 413,
  detail: `the body exceeds ${limits.bodyBytesMax} bytes`,
  headers: close,
}

function hasDoubtfulFraming(request: IncomingMessage): boolean {
  const [encoding, ...more] = headerValues(request, 'transfer-encoding')
  return encoding !== undefined && (more.length > 0 || encoding.toLowerCase() !== 'chunked')
}

function sendFault(
  log: Logger,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof Unavailable) {
    log.warn({ requestId: request.id, err: errorForLog(error) }, 'unavailable')
    const advice = 'send the same orderId again; if it was credited you will get DUPLICATE'
    const detail = request.method === 'POST' ? `${error.message}: ${advice}` : `${error.message}: try again`
    return sendProblem(request, reply, {
      code: 'UNAVAILABLE',
      detail,
      headers: { 'retry-after': retryAfterSeconds },
    })
  }
  if (error.statusCode === 413) return sendProblem(request, reply, tooLarge)
  if (error.statusCode !== undefined && error.statusCode < 500) {
    const detail = 'the request could not be read'
    return sendProblem(request, reply, {
      code: 'INVALID_REQUEST',
      status: error.statusCode,
      detail,
      headers: close,
    })
  }
  log.error({ requestId: request.id, err: errorForLog(error) }, 'a bug')
  return sendProblem(request, reply, { code: 'INTERNAL_ERROR', detail: 'something went wrong on our side' })
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Unavailable(`the store did not answer within ${ms} ms`)
  })
  return Promise.race([work, late])
}
