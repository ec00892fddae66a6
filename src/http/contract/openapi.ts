import { signaturePattern } from '../../access/signature.ts'
import { timestampPattern } from '../../access/timestamp.ts'
import { awardRulesBeyondSchema, awardSchema } from '../../rules/award-schema.ts'
import { historyRulesBeyondSchema, historySchema } from '../../rules/history-query.ts'
import { limits } from '../../wire/limits.ts'
import type { Schema } from '../../wire/problems/member-schema.ts'
import { requestIdPattern } from '../../rules/request-id.ts'
import { successBodies, creditedHeaders } from './success-bodies.ts'
import { problemResponses } from './problem-responses.ts'
import { problemSchemas } from './problem-schemas.ts'
import { exampleOf } from './schema.ts'

/**
 * The contract as OpenAPI 3.1, made from what the service itself uses: the schemas from which the rules take their
 * limits, the patterns of the headers, the catalog of errors.
 */
export function openApiDocument(): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Credit',
      version: '1.0.0',
      summary: 'Credit loyalty points (EP) to users, each order once, and list what was credited.',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Awards', description: 'Crediting EP, and listing what was credited.' }],
    paths: { '/v1/ep/webhook': { post: award }, '/v1/ep/webhook/awards': { get: history } },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Your API key, `pck_…`.' },
      },
      parameters: { timestamp, requestId },
      headers: { requestId: requestIdHeader, retryAfter, sandbox },
      schemas: {
        AwardRequest: { ...awardSchema, 'x-rules-beyond-schema': awardRulesBeyondSchema },
        ...successBodies,
        ...problemSchemas(),
      },
    },
  }
}

const about = `Every request is signed: \`X-Signature\` is the lowercase hex HMAC-SHA-256, keyed with your signing secret
(the whole text, with \`pcs_\` in front), of the \`X-Timestamp\` value, a dot, and the payload. The payload of an award is
its raw body, byte for byte as sent; that of a history request is the decoded tenantId.

Within /v1, changes are additive only: ignore members that you do not know. Every error is problem+json
(RFC 9457); in your program, check \`code\`.

Test with a sandbox tenant: every response about it has the header \`EP-Sandbox: true\`, and its awards do not count. An
orderId is used once in all your tenants together, so give test orders a prefix of their own, such as \`test-\`.

\`x-rules-beyond-schema\` lists further rules that JSON Schema cannot express.`

const timestamp = {
  name: 'X-Timestamp',
  in: 'header',
  required: true,
  description:
    'Milliseconds since 1970, in plain digits. Within 5 minutes of our clock, unless the operator has set another window.',
  schema: { type: 'string', pattern: timestampPattern, examples: ['1763182800000'] },
}

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Your own id for this request. A malformed one is replaced.',
  schema: { type: 'string', pattern: requestIdPattern, examples: ['7cd364c3-80f1-4d5e-ab65-079e9dc99b7c'] },
}

const requestIdHeader = {
  description: 'The id of the request. On every response.',
  required: true,
  schema: { type: 'string', pattern: requestIdPattern },
}

const retryAfter = {
  description: 'Seconds to wait before the next attempt.',
  required: true,
  schema: { type: 'integer', minimum: 1, examples: [1] },
}

const sandbox = {
  description:
    'On every response about a sandbox tenant, and on no other. Awards there follow every rule, but do not count.',
  required: false,
  schema: { type: 'string', const: 'true' },
}

function signature(payload: string): Schema {
  return {
    name: 'X-Signature',
    in: 'header',
    required: true,
    description: `Lowercase hex HMAC-SHA-256 of the X-Timestamp value, a dot and ${payload}.`,
    schema: {
      type: 'string',
      pattern: signaturePattern,
      examples: ['23be180d0e48c1cff171f70845b8e314afdc01b43ed62660ae6353d0c46db8c8'],
    },
  }
}

const sharedParameters = [
  { $ref: '#/components/parameters/timestamp' },
  { $ref: '#/components/parameters/requestId' },
]

function success(name: keyof typeof successBodies, headers: Schema = {}): Schema {
  const { description } = successBodies[name]
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/requestId' },
      'EP-Sandbox': { $ref: '#/components/headers/sandbox' },
      ...headers,
    },
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        example: exampleOf(successBodies[name]),
      },
    },
  }
}

const award = {
  operationId: 'award',
  tags: ['Awards'],
  summary: 'Credit EP to a user',
  description: `Sending the same order again credits nothing and returns the first award, so retry whenever you are in doubt. The body has at most ${limits.bodyBytesMax} bytes.`,
  parameters: [signature('the raw body, byte for byte'), ...sharedParameters],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/AwardRequest' },
        example: exampleOf(awardSchema),
      },
    },
  },
  responses: {
    200: success('AwardDuplicate'),
    202: success('AwardCredited', creditedHeaders),
    ...problemResponses(
      [
        'INVALID_REQUEST',
        'INVALID_SIGNATURE',
        'TIMESTAMP_OUT_OF_RANGE',
        'TENANT_NOT_ALLOWED',
        'PARTNER_SUSPENDED',
        'ORDER_ID_CONFLICT',
        'AMOUNT_BELOW_MIN',
        'PER_TX_CAP_EXCEEDED',
        'DAILY_CAP_EXCEEDED',
        'RATE_LIMITED',
        'INTERNAL_ERROR',
        'UNAVAILABLE',
      ],
      [408, 413, 414, 415, 417, 431],
    ),
  },
}

const history = {
  operationId: 'awards',
  tags: ['Awards'],
  summary: 'List your awards in a tenant',
  description:
    'Newest first, in pages: repeat the request with `cursor` until `nextCursor` is null. There is no request body.',
  'x-rules-beyond-schema': historyRulesBeyondSchema,
  parameters: [
    ...Object.entries(historySchema).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: name === 'tenantId',
      description,
      schema,
    })),
    signature('the decoded tenantId'),
    ...sharedParameters,
  ],
  responses: {
    200: success('HistoryPage'),
    ...problemResponses(
      [
        'INVALID_REQUEST',
        'INVALID_SIGNATURE',
        'TIMESTAMP_OUT_OF_RANGE',
        'TENANT_NOT_ALLOWED',
        'RATE_LIMITED',
        'INTERNAL_ERROR',
        'UNAVAILABLE',
      ],
      [408, 413, 414, 417, 431],
    ),
  },
}
