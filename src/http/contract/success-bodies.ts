import { awardSchema } from '../../rules/award-schema.ts'
import { epTransactionId, dateTime, type Schema } from '../../wire/problems/member-schema.ts'
import { anObject, exampleOf } from './schema.ts'

const { tenantId, orderId, userEmail, note } = awardSchema.properties

const points = { type: 'integer', minimum: 1, description: 'EP credited.', examples: [5] }
const status = { type: 'string', const: 'COMPLETED', description: 'The award is complete.' }

const historyItem = anObject('One award.', {
  epTransactionId,
  orderId: {
    type: ['string', 'null'],
    description:
      'As you sent it. Every award has one; null is reserved for credits without an order, of which there are none today.',
    examples: orderId.examples,
  },
  userEmail: { type: 'string', description: 'In lowercase.', examples: userEmail.examples },
  points,
  note: {
    type: ['string', 'null'],
    description: 'As you sent it; null if you sent none.',
    examples: note.examples,
  },
  awardedAt: {
    ...dateTime,
    description: "When the award was made, by the service's clock. ISO 8601, UTC, milliseconds.",
  },
})

/** The bodies of successful responses. */
export const successBodies = {
  AwardCredited: anObject('The EP are credited and durable.', {
    epTransactionId,
    status,
    orderId: { type: 'string', description: 'As you sent it.', examples: orderId.examples },
    points,
  }),
  AwardDuplicate: anObject('The order was credited before. Nothing was credited now.', {
    epTransactionId: { ...epTransactionId, description: 'The id of the first award.' },
    status,
    points: { ...points, description: 'EP credited by the first award.' },
    code: { type: 'string', const: 'DUPLICATE', description: 'Distinguishes a replay from a first award.' },
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
      description: 'Pass it as `cursor` to get the next page. null on the last page.',
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
    description: 'The next midnight in Vietnam, when the daily counters reset.',
    required: true,
    schema: { ...dateTime, examples: ['2026-11-15T17:00:00.000Z'] },
  },
}
