import type { OrderSet } from './order-set.ts'

type Order = { partnerId: string; orderId: string }

/**
 * Names an order that was credited twice; null if there is none. Reads the entries, once more, only where their
 * fingerprints say that there may be one.
 */
export async function orderCreditedTwice(
  orders: OrderSet,
  entriesAgain: () => AsyncIterable<Order[]>,
): Promise<string | null> {
  const repeated = orders.repeated()
  if (repeated.size === 0) return null
  const seen = new Set<string>()
  for await (const chunk of entriesAgain()) {
    for (const { partnerId, orderId } of chunk) {
      if (!repeated.has(orders.fingerprintOf({ partnerId, orderId }))) continue
      const order = JSON.stringify([partnerId, orderId])
      if (seen.has(order)) return `${partnerId}: the order ${JSON.stringify(orderId)} is credited twice`
      seen.add(order)
    }
  }
  return null
}
