import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Unavailable } from '../../ledger/errors.ts'
import { isDatabaseFailure } from '../../stores/open.ts'
import type { Guard } from '../access/guard.ts'
import type { Identity, RequestFacts } from '../access/identify.ts'
import type { Permission } from '../access/permissions.ts'
import { createInputCheck, type Input } from './checked-input.ts'
import { fewAtATime } from './few-at-a-time.ts'
import type { CallParts } from './parts.ts'
import { apiPrefix } from './prefix.ts'
import { ApiProblem, apiProblems, problemBody } from './problem.ts'
import { problemOf } from './problem-of.ts'
import type { ApiRoute, Call, Format, Reply } from './route.ts'

type ApiOptions = {
  routes: readonly ApiRoute[]
  guard: Guard
  /** For one request; closed after its response is made. */
  openParts(): CallParts
  /** What is not the request's fault. */
  onFailure(error: unknown, requestId: string): void
}

/** Set by the main thread for every request: what a client sends under these names is overwritten. */
export const passedHeaders = {
  address: 'x-passed-address',
  requestId: 'x-passed-request-id',
  now: 'x-passed-now',
} as const

/** Set in the response to a request that was admitted, for the main thread. It is not sent. */
export const signedInHeader = 'x-passed-signed-in'

const bodyBytesMax = 65_536
const responseBytesMax = 33_554_432
const paramLengthMax = 1_000
/** A response of megabytes takes several times its size while it is made. */
const readsAtATime = 4

/** The operator's API. It does not listen: the main thread passes requests on, and tests inject them. */
export function createApi({ routes, ...options }: ApiOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyBytesMax,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: paramLengthMax },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: (request) => String(request.headers[passedHeaders.requestId] ?? ''),
    requestIdHeader: false,
    // A path that cannot be decoded never reaches a route, and the framework's own response would not be a problem document.
    frameworkErrors: (error, request, reply) => void send(reply, request.id, problemOf(error)),
  })
  // Bodies are read by the declared schema, which neither converts nor drops anything.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  const inTurn = fewAtATime(readsAtATime)
  for (const route of routes) {
    const respond = createRespond(route, options, readsLedger(route) ? inTurn : atOnce)
    app.route({
      method: route.method,
      url: `${apiPrefix}${route.path.replace(/\{(\w+)\}/g, ':$1')}`,
      handler: respond,
    })
  }
  app.setNotFoundHandler((request, reply) => send(reply, request.id, nothingHere(routes, request)))
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error)
    if (problem.code === 'INTERNAL_ERROR' || error instanceof Unavailable || isDatabaseFailure(error))
      options.onFailure(error, request.id)
    return send(reply, request.id, problem)
  })
  return app
}

/**
 * What can be large, or take long: questions, also those that are sent by POST. Changes, signing in and whoever asks for the
 * metrics do not wait for it.
 */
function readsLedger({ needs, response }: ApiRoute): boolean {
  return response !== null && needs.endsWith('.read')
}

type InTurn = ReturnType<typeof fewAtATime>
const atOnce: InTurn = (work) => work()

type Respond = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Whoever is refused does not wait for a turn. */
function createRespond(
  route: ApiRoute,
  { guard, openParts }: Omit<ApiOptions, 'routes'>,
  inTurn: InTurn,
): Respond {
  const checkInput = createInputCheck(route)
  const action = `${route.method} ${route.path}`

  return async (request, reply) => {
    const facts = factsOf(request)
    const { address, headers } = facts
    const { id: requestId } = request
    const identity =
      route.needs === 'anyone' ? null : await admitted(route, facts, { guard, requestId, action })
    if (identity !== null) reply.header(signedInHeader, identity.operatorId ?? identity.actor)
    const input = checkInput(inputOf(request))
    const format = formatOf(route, input, headers.accept)
    return inTurn(async () => {
      const parts = openParts()
      let subject: string | null = action
      try {
        const call: Call<unknown, unknown, unknown> = {
          ...input,
          identity,
          permission: permissionFor(route.needs),
          seesPersonalData: identity?.permissions.has('personal.read') === true,
          headers,
          format,
          address,
          requestId,
          now: Number(headers[passedHeaders.now]),
          parts,
          concerns: (what) => {
            subject = what
          },
          showsNobody: () => {
            subject = null
          },
        }
        const made = await route.handle(call as Call)
        // Before the response is sent: what cannot be written down is not shown.
        if (route.personalData && call.seesPersonalData && subject !== null)
          await guard.recordRead(facts, identity!, { action, requestId, subject })
        return sendReply(reply, route, made, format)
      } finally {
        await parts.close()
      }
    })
  }
}

function permissionFor(needs: ApiRoute['needs']): Permission | null {
  return needs === 'signed in' || needs === 'anyone' ? null : needs
}

type Admission = { guard: Guard; requestId: string; action: string }

async function admitted(
  { needs }: ApiRoute,
  facts: RequestFacts,
  { guard, requestId, action }: Admission,
): Promise<Identity> {
  const permission = permissionFor(needs)
  const { identity, refusal } = await guard.admit(facts, { permission, action, requestId })
  if (refusal === undefined) return identity
  throw new ApiProblem(refusal.code, refusal.detail, {
    members: permission === null ? {} : { needs: permission },
    headers: refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {},
  })
}

/** The main thread always says where a request comes from. */
function factsOf({ method, headers }: FastifyRequest): RequestFacts {
  return { method, headers, address: String(headers[passedHeaders.address] ?? '') }
}

function inputOf(request: FastifyRequest) {
  return {
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | string[]>,
    contentType: request.headers['content-type'],
    body: (request.body as Uint8Array | undefined) ?? null,
  }
}

const formatNames: Record<string, Format> = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

/** `format=csv` in the query, for links in a browser; otherwise what Accept names first. */
function formatOf(
  { formats }: ApiRoute,
  { query }: Input,
  accept: string | string[] | undefined,
): Format | null {
  const named = (query as { format?: string }).format
  if (named !== undefined) return formatNames[named] ?? null
  const wanted = [accept ?? '*/*']
    .flat()
    .join(',')
    .split(',')
    .map((range) => range.split(';', 1)[0]!.trim().toLowerCase())
  for (const range of wanted) {
    if (['*/*', 'application/*', 'application/json'].includes(range)) return null
    const format = formats.find((known) => known === range)
    if (format !== undefined) return format
  }
  throw new ApiProblem('NOT_ACCEPTABLE', `this path has ${['application/json', ...formats].join(', ')}`)
}

/** What a partner sent is never taken for a page. */
const notSniffed = { 'x-content-type-options': 'nosniff' }

function sendReply(reply: FastifyReply, route: ApiRoute, made: Reply, format: Format | null): FastifyReply {
  const { status = route.status, headers = {}, body, text } = made
  const content = text ?? (body === null ? '' : JSON.stringify(body))
  const bytes = Buffer.from(content)
  if (bytes.length > responseBytesMax)
    throw new ApiProblem(
      'REFUSED',
      'the response would exceed 32 MB: ask for a shorter period or for fewer rows',
    )
  const type = text === undefined || format === null ? 'application/json' : format
  return reply
    .code(status)
    .headers({ 'content-type': `${type}; charset=utf-8`, ...notSniffed, ...headers })
    .send(bytes)
}

function send(reply: FastifyReply, requestId: string, problem: ApiProblem): FastifyReply {
  return reply
    .code(apiProblems[problem.code])
    .headers({ 'content-type': 'application/problem+json; charset=utf-8', ...notSniffed, ...problem.headers })
    .send(Buffer.from(JSON.stringify(problemBody(problem, requestId))))
}

/** A path that has other methods is not the same as no path. */
function nothingHere(routes: readonly ApiRoute[], { url }: FastifyRequest): ApiProblem {
  const [path = ''] = url.split('?', 1)
  const others = routes.filter((route) => patternOf(route).test(path)).map(({ method }) => method)
  if (others.length === 0)
    return new ApiProblem('NOT_FOUND', `there is nothing at this path: ${apiPrefix}/openapi.json lists all`)
  const allow = others.join(', ')
  return new ApiProblem('METHOD_NOT_ALLOWED', `this path takes ${allow}`, { headers: { allow } })
}

function patternOf({ path }: ApiRoute): RegExp {
  return new RegExp(`^${apiPrefix}${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function noSchemas(): never {
  throw new Error('a route of the API is declared by route(), which checks requests itself')
}
