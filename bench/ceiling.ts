import { orderIdOf } from './load/orders.ts'
import { type Child, startYardstick } from './child.ts'

export type FixedAnswer = { status: number; body: string }

/** What the service answers to a fresh award, byte for byte but for the id and the order. */
export const awardAnswer: FixedAnswer = {
  status: 202,
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
