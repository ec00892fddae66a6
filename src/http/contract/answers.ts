import { awardSchema } from '../../rules/award-schema.ts'
import { anObject, exampleOf, type Schema } from './schema.ts'

const { tenantId, orderId, userEmail, note } = awardSchema.properties

export const epTransactionId = {
  type: 'string',
  format: 'uuid',
  description: 'The id of the award in the ledger.',
  examples: ['01a1dd16-3bc2-7717-94b8-8d36151284d0'],
}

export const isoTime = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601, UTC, milliseconds.',
  examples: ['2026-11-15T02:43:04.259Z'],
}

const points = { type: 'integer', minimum: 1, description: 'EP credited.', examples: [5] }
const status = { type: 'string', const: 'COMPLETED', description: 'Nothing is left to be done.' }

const historyItem = anObject('One award.', {
  epTransactionId,
  orderId: { type: ['string', 'null'], description: 'As you sent it.', examples: orderId.examples },
  userEmail: { type: 'string', description: 'In lowercase.', examples: userEmail.examples },
  points,
  note: { type: ['string', 'null'], description: 'As you sent it.', examples: note.examples },
  awardedAt: { ...isoTime, description: "The service's time of the award. ISO 8601, UTC, milliseconds." },
})

/** What the two endpoints answer when all is well. */
export const answers = {
  AwardCredited: anObject('The EP are credited and durable.', {
    epTransactionId,
    status,
    orderId: { type: 'string', description: 'As you sent it.', examples: orderId.examples },
    points,
  }),
  AwardDuplicate: anObject('The order had been credited before; nothing was credited now.', {
    epTransactionId: { ...epTransactionId, description: 'The id of the first award.' },
    status,
    points: { ...points, description: 'EP credited by the first award.' },
    code: { type: 'string', const: 'DUPLICATE', description: 'Tells a replay from a first award.' },
  }),
  HistoryPage: anObject('One page of your awards in a tenant.', {
    tenantId: { type: 'string', description: 'The tenant you asked for.', examples: tenantId.examples },
    items: {
      type: 'array',
      description: 'Newest first, in the order in which they were committed.',
      items: { $ref: '#/components/schemas/HistoryItem' },
      examples: [[exampleOf(historyItem)]],
    },
    nextCursor: {
      type: ['string', 'null'],
      description: 'For the next page. null on the last one.',
      examples: [null],
    },
  }),
  HistoryItem: historyItem,
} satisfies Record<string, Schema>

/** On every 202, so that a partner can slow down before the cap. */
export const creditedHeaders = {
  'EP-Partner-Day-Remaining': {
    description: 'EP that you can still award in this tenant today.',
    required: true,
    schema: { type: 'integer', minimum: 0, examples: [999_995] },
  },
  'EP-Day-Resets-At': {
    description: 'The next midnight in Vietnam, when the day counters begin anew.',
    required: true,
    schema: { ...isoTime, examples: ['2026-11-15T17:00:00.000Z'] },
  },
}
