import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { type AddressList, addressList } from '../access/address-list.ts'
import { Unavailable } from '../ledger/errors.ts'
import type { AddressLimit } from './address-limit.ts'
import { answerBrokenRequests, nothingHere } from './broken-request.ts'
import { createClientAddress } from './client-address.ts'
import { closesConnection } from './closes-connection.ts'
import { closeAfter } from './connection.ts'
import { watchConnections } from './connections.ts'
import { JoinedRequest } from './joined-body.ts'
import { inTurn } from './later-turns.ts'
import { limits } from './limits.ts'
import { createServer } from './node-http.ts'
import { type BrowserPages, sendApplication, sendInstead, wantsPage } from './pages/browser-pages.ts'
import { routeOf } from './pages/page-route.ts'
import { type Problem, sendProblem } from './problem.ts'
import { protocolProblem, tooLarge } from './protocol-problem.ts'
import type { Readiness } from './readiness.ts'
import { createRefusals, type RefusalCounts } from './refusals.ts'
import { RequestCounts, type RouteCounts } from './request-counts.ts'
import { requestIdOf } from './request-id.ts'
import { createRequestLog, errorForLog, noteForLog } from './request-log.ts'
import { discardBody, refuseUnread } from './unread-body.ts'

/** An HTTP listener with what all of ours share: limits, request ids, problem+json, health checks, a graceful shutdown. */
export type HttpListener = {
  app: FastifyInstance
  /** The paths that take GET. */
  pages(): string[]
  /** Connections and requests refused since the start, by kind. */
  refusals(): RefusalCounts
  /** Responses since the start, by route. */
  requests(): RouteCounts[]
  listen(at: { host: string; port: number }): Promise<string>
  /**
   * Stops accepting connections, responds to the requests in flight, then closes. An open connection may still send a
   * request within the grace period; its response says `connection: close`.
   */
  drain(graceMs?: number): Promise<void>
}

const drainGraceMs = 200
const drainMaxMs = 6_000
const retryAfterSeconds = '1'

type HttpListenerParts = {
  /** For the log. */
  name: string
  log: Logger
  ready: Readiness
  /** Whether `/readyz` includes warnings and reasons. Only operators should see them. */
  readyGivesReasons: boolean
  /** False: /docs/errors is on another port. */
  hasErrorPages?: boolean
  addressLimit: AddressLimit
  /** Only these may say in X-Forwarded-For whose request they pass on. */
  trustedProxies?: AddressList
  /** Without it, browsers get what programs get. */
  browserPages?: BrowserPages
}

export function createHttpListener({
  name,
  log,
  ready,
  readyGivesReasons,
  hasErrorPages = true,
  addressLimit,
  trustedProxies = addressList([]),
  browserPages,
}: HttpListenerParts): HttpListener {
  const clientAddressOf = createClientAddress(trustedProxies)
  let draining = false
  let handle: (request: IncomingMessage, response: ServerResponse) => void

  const server = createServer({
    IncomingMessage: JoinedRequest,
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false, // checked below, so that the error is a problem document
  })
  // A client may end its half behind its last request and wait for the response. (Node's types do not know the property.)
  Object.assign(server, { httpAllowHalfOpen: true })
  server.maxConnections = limits.connectionsMax
  const refusals = createRefusals(log, name)
  const requests = new RequestCounts()
  const connections = watchConnections(server, (request, response) => handle(request, response), {
    addressLimit,
    refusals,
  })
  server.on('checkExpectation', (request, response) => {
    request.headers.expect = 'unmet'
    server.emit('request', request, response)
  })

  const app = Fastify({
    serverFactory: (handler) => {
      handle = handler
      return server
    },
    clientErrorHandler: answerBrokenRequests(server, refusals, { hasErrorPages }),
    // A path that cannot be decoded never reaches the hooks below, and the framework's own response would echo it.
    frameworkErrors: (_, request, reply) => {
      reply.hasErrorPages = hasErrorPages // this reply has no decorations
      reply.header('x-request-id', request.id)
      sendNothingHere(request, reply, { ...nothingHere, closes: true })
      onSent(request, reply)
    },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: limits.bodyBytesMax,
    return503OnClosing: false,
    exposeHeadRoutes: false,
  })
  const logRequest = createRequestLog(log)
  const methodsOf = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method, config }) => {
    for (const path of config?.pages ?? [url])
      methodsOf.set(path, [...(methodsOf.get(path) ?? []), ...[method].flat()])
  })

  const isPage = (path: string) => methodsOf.get(path)?.includes('GET') === true

  // The framework's parsers coerce values and send their own error texts, so every body stays bytes here.
  app.removeAllContentTypeParsers()
  // JSON is named because the framework remembers which parser a named type has. For others it reads the type each time.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, ({ raw }, body, done) =>
      inTurn(raw, body.length, () => done(null, body)),
    )

  app.decorateRequest('logNote', null)
  app.decorateReply('hasErrorPages', hasErrorPages)
  // Callback hooks, not async ones: nearly every request passes them without waiting.
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id)
    reply.header('cache-control', 'no-store')
    if (draining || closesConnection(request.raw)) reply.header('connection', 'close')
    const problem = protocolProblem(request, methodsOf)
    if (problem === null) next()
    else if (problem === nothingHere && wantsPage(request))
      void discardBody(request, reply).then(() => sendNothingHere(request, reply, problem))
    else if (problem.closes) sendProblem(request, reply, problem)
    else void refuseUnread(request, reply, problem)
  })
  function sendNothingHere(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    if (browserPages === undefined || !wantsPage(request)) return void sendProblem(request, reply, problem)
    if (!problem.closes && sendApplication(request, reply, browserPages) !== null) return
    noteForLog(request, { code: problem.code })
    if (problem.closes) closeAfter(reply.removeHeader('connection').raw)
    sendInstead(request, reply, browserPages, isPage)
  }
  function onSent(request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode: status, elapsedTime: durationMs } = reply
    const route = routeOf(request)
    requests.count({ route, status, code: request.logNote?.code, durationMs })
    logRequest(request, { route, status, durationMs, clientAddress: clientAddressOf(request.raw) })
  }
  app.addHook('onResponse', (request, reply, next) => {
    onSent(request, reply)
    next()
  })
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, nothingHere))
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(error, request, reply, { log, givesReasons: readyGivesReasons }),
  )

  app.get('/livez', async () => ({ status: 'live' }))
  app.get('/readyz', async (request, reply) => {
    try {
      if (draining) throw new Unavailable('the service is shutting down')
      const warnings = await ready()
      return readyGivesReasons ? { status: 'ready', warnings } : { status: 'ready' }
    } catch (error) {
      const reason = error instanceof Unavailable ? error.message : 'the store does not respond'
      return sendProblem(request, reply, {
        code: 'UNAVAILABLE',
        detail: readyGivesReasons ? reason : 'awards cannot be accepted at the moment',
        headers: { 'retry-after': retryAfterSeconds },
      })
    }
  })

  return {
    app,
    pages: () => [...methodsOf.keys()].filter(isPage),
    refusals: refusals.read,
    requests: () => requests.read(),
    listen: (at) => app.listen(at),
    async drain(graceMs = drainGraceMs) {
      draining = true
      connections.drain()
      NetServer.prototype.close.call(server) // only the listening socket: idle connections keep their grace period
      for (let waited = 0; (await connectionsOf(server)) > 0 && waited < graceMs; waited += 20)
        await sleep(20)
      await nextTurn() // reads what has already arrived, so that those connections are not idle
      server.closeIdleConnections()
      for (let waited = 0; connections.unfinished() > 0 && waited < drainMaxMs; waited += 20) await sleep(20)
      connections.destroyAll()
      await app.close()
    },
  }
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

/** src/rules validates requests. Without this, the framework loads its schema compilers at every start. */
function noSchemas(): never {
  throw new Error('a route has a schema, but src/rules validates requests: remove the schema')
}

function sendError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, givesReasons }: { log: Logger; givesReasons: boolean },
): FastifyReply {
  if (error instanceof Unavailable) {
    log.warn({ requestId: request.id, err: errorForLog(error) }, 'unavailable')
    const advice = 'send the same orderId again; if it was credited, you get DUPLICATE'
    const reason = givesReasons ? error.message : (error.forPartners ?? error.message)
    const detail = request.method === 'POST' ? `${reason}: ${advice}` : `${reason}: try again`
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
      closes: true,
    })
  }
  log.error({ requestId: request.id, err: errorForLog(error) }, 'internal error')
  return sendProblem(request, reply, { code: 'INTERNAL_ERROR', detail: 'an unexpected error occurred' })
}
