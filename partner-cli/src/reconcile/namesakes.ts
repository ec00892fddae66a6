import type { Order } from './finding.ts'
import { withoutSigns } from './spelling.ts'

/**
 * Of orders with the same user and EP, those that may be one order under two orderIds: one contains the other, as SO-1003
 * contains 1003. By the orderId, with another order that it may be. A user may have thousands of such orders, so the
 * pieces of each orderId are looked up; they are not compared in pairs.
 */
export function findNamesakes(orders: Order[]): Map<string, Order> {
  const namesakes = new Map<string, Order>()
  const byName = new Map(orders.map((order) => [withoutSigns(order.orderId!), order]))
  const lengths = new Set([...byName.keys()].map((name) => name.length))
  for (const order of orders) {
    for (const piece of piecesOf(withoutSigns(order.orderId!), lengths)) {
      const other = byName.get(piece)
      if (other === undefined || other.orderId === order.orderId) continue
      namesakes.set(order.orderId!, other)
      namesakes.set(other.orderId!, order)
    }
  }
  return namesakes
}

/** A shorter piece is in too many orderIds by chance, unless it is a whole number or word: 7 in SO-007. */
const pieceLengthMin = 3

function* piecesOf(name: string, lengths: Set<number>): Generator<string, void, undefined> {
  yield name
  for (const run of name.match(/\d+|\D+/g) ?? []) yield run.replace(/^0+/, '')
  for (const length of lengths) {
    if (length < pieceLengthMin) continue
    for (let start = 0; start + length <= name.length; start++) yield name.slice(start, start + length)
  }
}
