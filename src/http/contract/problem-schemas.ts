import { type ProblemCode, problems } from '../../wire/problem.ts'
import { epTransactionId, isoTime } from './answers.ts'
import { anObject, type Schema } from './schema.ts'

/** INVALID_REQUEST stands for the protocol's own statuses, too. */
export const protocolStatuses = {
  405: 'The path takes another method: see `Allow`.',
  408: 'The request did not arrive whole in time. Send it again.',
  413: 'The body is too large.',
  414: 'The request target is too long.',
  415: 'Content-Type is not application/json, or there is a Content-Encoding.',
  417: 'An `Expect` other than `100-continue`.',
  431: 'The headers are too large, or too many.',
}

const ep = (description: string, example: number): Schema => ({
  type: 'integer',
  minimum: 0,
  description,
  examples: [example],
})

const fault = {
  type: 'object',
  required: ['detail'],
  properties: {
    pointer: { type: 'string', description: 'The place in the body; empty for the body as a whole.' },
    parameter: { type: 'string', description: 'The name in the query.' },
    detail: { type: 'string', description: 'For people.' },
  },
  oneOf: [{ required: ['pointer'] }, { required: ['parameter'] }],
  examples: [{ pointer: '/amount', detail: 'must be greater than zero' }],
}

type Members = { members: Record<string, Schema>; optional?: string[] }
const none: Members = { members: {} }

/** What each code adds to the body. */
const membersOf: Record<ProblemCode, Members> = {
  INVALID_REQUEST: {
    members: { errors: { type: 'array', minItems: 1, description: 'Every broken rule.', items: fault } },
    optional: ['errors'],
  },
  INVALID_SIGNATURE: {
    members: {
      bodyBytes: {
        type: 'integer',
        minimum: 0,
        description: 'Bytes of the body that arrived.',
        examples: [88],
      },
      bodySha256: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 of the body that arrived. If yours differs, something changed it on the way.',
        examples: ['16c6a1ec8427ee01751b80c4a44ffca3d5138e18739353ecc9557f256b1c8631'],
      },
    },
  },
  TIMESTAMP_OUT_OF_RANGE: {
    members: {
      serverTime: {
        type: 'integer',
        description: "The service's clock: milliseconds since 1970.",
        examples: [1_794_710_669_013],
      },
      skewMs: {
        type: 'integer',
        description: 'Your time minus ours; absent where no number was sent.',
        examples: [-3_600_000],
      },
    },
    optional: ['skewMs'],
  },
  TENANT_NOT_ALLOWED: none,
  PARTNER_SUSPENDED: none,
  NOT_FOUND: none,
  ORDER_ID_CONFLICT: {
    members: {
      differs: {
        type: 'array',
        minItems: 1,
        description: 'The fields with other values than those of the first award.',
        items: { type: 'string', enum: ['tenantId', 'userEmail', 'amount', 'note', 'meta'] },
        examples: [['amount']],
      },
      epTransactionId: { ...epTransactionId, description: 'The id of the first award.' },
      awardedAt: { ...isoTime, description: 'The time of the first award. ISO 8601, UTC, milliseconds.' },
    },
  },
  AMOUNT_BELOW_MIN: { members: { minimum: ep('The smallest amount that gives 1 EP.', 1000) } },
  PER_TX_CAP_EXCEEDED: {
    members: { limit: ep('The cap in EP.', 100), requested: ep('The EP of this award.', 250) },
  },
  DAILY_CAP_EXCEEDED: {
    members: {
      cap: {
        type: 'string',
        enum: ['perPartnerDay', 'perUserDay'],
        description: 'Whose day is full: yours in this tenant, or the user\u2019s.',
        examples: ['perPartnerDay'],
      },
      limit: ep('The cap in EP.', 10),
      requested: ep('The EP of this award.', 5),
      used: ep('EP used of the cap today; only for perPartnerDay.', 8),
      resetsAt: {
        ...isoTime,
        description: 'The next midnight in Vietnam. ISO 8601, UTC, milliseconds.',
        examples: ['2026-11-15T17:00:00.000Z'],
      },
    },
    optional: ['used'],
  },
  RATE_LIMITED: none,
  INTERNAL_ERROR: none,
  UNAVAILABLE: none,
}

/** INVALID_SIGNATURE → InvalidSignature. */
export function schemaName(code: ProblemCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

export function problemSchemas(): Record<string, Schema> {
  return Object.fromEntries(problemCodes.map((code) => [schemaName(code), problemSchema(code)]))
}

const problemCodes = Object.keys(problems) as ProblemCode[]

function problemSchema(code: ProblemCode): Schema {
  const { status, title, advice } = problems[code]
  const { members, optional } = membersOf[code]
  const statuses = [status, ...Object.keys(protocolStatuses).map(Number)]
  const properties = {
    type: {
      type: 'string',
      const: `/docs/errors/${code}`,
      description: 'Path of a page about the code, on the same service.',
    },
    title: { type: 'string', description: 'For people; may be reworded.', examples: [title] },
    status:
      code === 'INVALID_REQUEST'
        ? { type: 'integer', enum: statuses, description: 'That of the answer.', examples: [status] }
        : { type: 'integer', const: status, description: 'That of the answer.' },
    code: { type: 'string', const: code, description: 'What programs look at.' },
    detail: { type: 'string', description: 'For people; may be reworded.', examples: [`${title}.`] },
    requestId: {
      type: 'string',
      description: 'Also the header X-Request-Id. Tell it to the operator when you ask for help.',
      examples: ['7cd364c3-80f1-4d5e-ab65-079e9dc99b7c'],
    },
    ...members,
  }
  return anObject(`${title}. ${advice}`, properties, optional)
}
