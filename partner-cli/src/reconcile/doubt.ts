import type { Order } from './finding.ts'
import { isPlainlySpelled, isSpreadsheetValue, likeness, mayBeRounded, shortenedNumber } from './spelling.ts'

/** Why an order that is missing may be another order, or another award, than its row says; null where it is sure. */
type DoubtAbout = (order: Order) => string | null

export const cutOff =
  'the list ends in the middle of this line: it may be cut off. If it is complete, add a line end'

/** `orders` has every row of the list whose orderId may mean one of the orders that are asked about. */
export function createDoubts(orders: Order[]): DoubtAbout {
  // Most parts of a list have no missing order: they need no look at the others.
  let groups: Map<string, Order[]> | null = null
  return (order) => {
    const orderId = order.orderId!
    if (order.mayBeCutOff) return cutOff
    if (shortenedNumber(orderId) !== null) return 'a spreadsheet may have shortened this number'
    if (mayBeRounded(orderId)) return 'a program may have rounded this number'
    if (isSpreadsheetValue(orderId))
      return 'a spreadsheet may have made this date, or this error, of another text'
    if (!isPlainlySpelled(orderId))
      return 'its spelling has signs or letters that a spreadsheet or an export may have put there'
    groups ??= grouped(orders)
    for (const other of groups.get(likeness(orderId))!) {
      const doubt = other.line === order.line ? null : conflict(order, other)
      if (doubt !== null) return doubt
    }
    return null
  }
}

function grouped(orders: Order[]): Map<string, Order[]> {
  const groups = new Map<string, Order[]>()
  for (const order of orders) {
    if (order.orderId === null) continue
    const key = likeness(order.orderId)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [order])
    else group.push(order)
  }
  return groups
}

function conflict(order: Order, other: Order): string | null {
  if (other.orderId !== order.orderId) return `line ${other.line} lists it as ${other.orderId}`
  if (other.problem !== null) return `line ${other.line} lists it, too, and cannot be read`
  // A list has amounts, points, or both.
  const isSame =
    other.amount === order.amount && other.points === order.points && other.userEmail === order.userEmail
  return isSame ? null : `line ${other.line} lists it with other values`
}
