import type { Order } from './finding.ts'
import { isPlainlySpelled, likeness, shortenedNumber } from './spelling.ts'

/** Why an order that is missing may be another order, or another award, than its row says; null where it is sure. */
type DoubtAbout = (order: Order) => string | null

/** `orders` has every row of the list whose orderId may mean one of the orders that are asked about. */
export function createDoubts(orders: Order[]): DoubtAbout {
  const alike = new Map<string, Order[]>()
  for (const order of orders) {
    if (order.orderId === null) continue
    const key = likeness(order.orderId)
    alike.set(key, [...(alike.get(key) ?? []), order])
  }
  return (order) => {
    const orderId = order.orderId!
    if (shortenedNumber(orderId) !== null) return 'a spreadsheet may have shortened this number'
    if (!isPlainlySpelled(orderId)) return 'its spelling has signs that a spreadsheet or an export adds'
    const others = alike.get(likeness(orderId))!.filter((row) => row.line !== order.line)
    return others.map((other) => conflict(order, other)).find((doubt) => doubt !== null) ?? null
  }
}

function conflict(order: Order, other: Order): string | null {
  if (other.orderId !== order.orderId) return `line ${other.line} lists it as ${other.orderId}`
  if (other.problem !== null) return `line ${other.line} lists it, too, and cannot be read`
  const isSame = other.amount === order.amount && other.userEmail === order.userEmail
  return isSame ? null : `line ${other.line} lists it with other values`
}
