import { orderIdOf } from './load/orders.ts'
import { type Child, startYardstick } from './child.ts'

export type FixedAnswer = { status: number; headers: Record<string, string>; body: string }

/** What every answer of the service has. */
export const usualHeaders = {
  'x-request-id': '2b2c15b3-294b-4df4-bc9b-7bc2e1798b88',
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
}

/** What the service answers to a fresh award, byte for byte but for the id and the order. */
export const awardAnswer: FixedAnswer = {
  status: 202,
  headers: {
    ...usualHeaders,
    'ep-partner-day-remaining': '999999999750',
    'ep-day-resets-at': '2026-11-15T17:00:00.000Z',
  },
  body: JSON.stringify({
    epTransactionId: '019a0000-0000-7000-8000-000000000000',
    status: 'COMPLETED',
    orderId: orderIdOf('SQLite-hot-mhzyxwvu-1', 0),
    points: 250,
  }),
}

/** The bare route, which gives this answer to everything. */
export function startCeiling(answer: FixedAnswer): Promise<Child> {
  return startYardstick('bare-route', answer)
}
