import type { HistoryLog } from './history-log.ts'

type Outcomes = { accepted: number; duplicate: number; refused: number; unknown: number }

/** How the attempts of each order ended. */
export function outcomesOf({ events }: HistoryLog): Map<string, Outcomes> {
  const byOrder = new Map<string, Outcomes>()
  const orderOf = new Map<number, string>()
  for (const event of events) {
    if (event.kind === 'invoke') {
      const { orderId } = event.order
      orderOf.set(event.attempt, orderId)
      if (!byOrder.has(orderId)) byOrder.set(orderId, { accepted: 0, duplicate: 0, refused: 0, unknown: 0 })
    } else if ('attempt' in event) {
      const outcomes = byOrder.get(orderOf.get(event.attempt)!)!
      if (event.kind === 'ok') outcomes[event.status === 202 ? 'accepted' : 'duplicate']++
      else outcomes[event.kind === 'fail' ? 'refused' : 'unknown']++
    }
  }
  return byOrder
}
