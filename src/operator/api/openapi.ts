import { Type } from 'typebox'
import { apiPrefix } from './prefix.ts'
import { apiProblems } from './problem.ts'
import { type ApiRoute, route } from './route.ts'
import { tags } from './tags.ts'

type Json = { readonly [name: string]: unknown }

/** The OpenAPI document, made from the declarations by which requests are checked. It has itself in it. */
export function openApiRoute(declared: readonly ApiRoute[]): ApiRoute {
  const own: ApiRoute = route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'Ledger',
    summary: 'This document',
    needs: 'signed in',
    response: Type.Object({}, { additionalProperties: true }),
    handle: async () => ({ body: document }),
  })
  const document = openApiDocument([...declared, own])
  return own
}

export function openApiDocument(routes: readonly ApiRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const one of routes)
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: operationOf(one) }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Partner Credit: operator API',
      version: '1.0.0',
      summary: 'What operators ask and change.',
      description:
        'On the operator port. Programs send a token (`Authorization: Bearer pct_…`). The console has a session cookie, and sends `X-Csrf-Token` with everything that is not a GET.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: apiPrefix }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-partner-credit-session' },
      },
      schemas: { Problem: problemSchema },
      responses: {
        Problem: { description: 'An error.', content: { 'application/problem+json': problemContent } },
      },
    },
  }
}

const problemContent = { schema: { $ref: '#/components/schemas/Problem' } }
const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'requestId'],
  properties: {
    type: { const: 'about:blank', description: 'There is no page about the error: use the code.' },
    title: { type: 'string', description: 'The name of the status.' },
    status: { type: 'integer', description: 'HTTP status code.' },
    code: {
      type: 'string',
      enum: Object.keys(apiProblems),
      description: 'Stable, machine-readable error code.',
    },
    detail: { type: 'string', description: 'What is wrong, for people.' },
    requestId: { type: 'string', description: 'The log has the request under this id.' },
    errors: {
      type: 'array',
      description: 'Every broken rule of an INVALID_REQUEST.',
      items: {
        type: 'object',
        required: ['detail'],
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer to the place in the body.' },
          parameter: { type: 'string', description: 'Name of the parameter.' },
          detail: { type: 'string', description: 'What is wrong, for people.' },
        },
      },
    },
    needs: { type: 'string', description: 'Of NOT_PERMITTED: the permission.' },
  },
}

function operationOf(one: ApiRoute): Json {
  const { method, path, tag, summary, needs, body, status, response, formats } = one
  return {
    operationId: operationIdOf(method, path),
    tags: [tag],
    summary,
    ...descriptionOf(one),
    ...(needs === 'anyone' ? { security: [] } : {}),
    ...parametersOf(one),
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [status]: {
        description: status >= 300 ? 'A redirect.' : 'Success.',
        ...(response === null
          ? {}
          : {
              content: {
                'application/json': { schema: response },
                ...Object.fromEntries(formats.map((format) => [format, { schema: { type: 'string' } }])),
              },
            }),
      },
      '4XX': { $ref: '#/components/responses/Problem' },
      '5XX': { $ref: '#/components/responses/Problem' },
    },
  }
}

function descriptionOf({ description, needs, personalData }: ApiRoute): Json {
  const isNamed = needs !== 'anyone' && needs !== 'signed in'
  const sentences = [
    description,
    isNamed ? `Needs the permission \`${needs}\`.` : undefined,
    personalData ? 'Reads of personal data are written to the access log.' : undefined,
  ].filter((sentence) => sentence !== undefined)
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

function parametersOf({ params, query }: ApiRoute): Json {
  const list = [
    ...Object.entries(params.properties).map(([name, schema]) => parameter(name, 'path', true, schema)),
    ...Object.entries(query.properties).map(([name, schema]) =>
      parameter(name, 'query', query.required?.includes(name) === true, schema),
    ),
  ]
  return list.length === 0 ? {} : { parameters: list }
}

function parameter(name: string, place: string, required: boolean, of: unknown): Json {
  const { description, ...schema } = of as { description?: string }
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema }
}

/** `post_partners_partnerId_keys`: the method, then the names in the path. */
function operationIdOf(method: string, path: string): string {
  return [method.toLowerCase(), ...(path.match(/\w+/g) ?? [])].join('_')
}
