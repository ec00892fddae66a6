import type { Credited, Order } from './finding.ts'
import {
  isPlainlySpelled,
  isSpreadsheetValue,
  likeness,
  mayBeRounded,
  shortenedNumber,
  withoutSigns,
} from './spelling.ts'

/** Why an order that is missing may be another order, or another award, than its row says; null where it is sure. */
type DoubtAbout = (order: Order) => string | null

/** `orders` and `awards` are all whose orderId may mean one of the orders that are asked about. */
export function createDoubts(orders: Order[], awards: Credited[]): DoubtAbout {
  // Most parts of a list have no missing order: they need no look at the others.
  let groups: Map<string, Order[]> | null = null
  let sameValues: Map<string, (Order | Credited)[]> | null = null
  return (order) => {
    const orderId = order.orderId!
    if (shortenedNumber(orderId) !== null) return 'a spreadsheet may have shortened this number'
    if (mayBeRounded(orderId)) return 'a program may have rounded this number'
    if (isSpreadsheetValue(orderId))
      return 'a spreadsheet may have made this date, or this error, of another text'
    if (!isPlainlySpelled(orderId))
      return 'its spelling has signs or letters that a spreadsheet or an export may have put there'
    groups ??= grouped(orders, likenessOf)
    for (const other of groups.get(likeness(orderId))!) {
      const doubt = other.line === order.line ? null : conflict(order, other)
      if (doubt !== null) return doubt
    }
    sameValues ??= grouped([...orders, ...awards], valuesOf)
    const other = sameValues.get(valuesOf(order))!.find((one) => one.orderId !== orderId)
    if (other === undefined) return null
    const where =
      'line' in other
        ? `which line ${other.line} lists with the same values`
        : 'for which the same user has as many EP'
    return `it may be ${other.orderId}, ${where}`
  }
}

/** Two orders of a user with as many EP, whose orderIds differ in their signs only, are rather one. */
function valuesOf({ orderId, userEmail, points }: Order | Credited): string {
  return JSON.stringify([withoutSigns(orderId!), userEmail, points])
}

function likenessOf({ orderId }: Order): string {
  return likeness(orderId!)
}

function grouped<T extends Order | Credited>(all: T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    if (one.orderId === null) continue
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return groups
}

function conflict(order: Order, other: Order): string | null {
  if (other.orderId !== order.orderId) return `line ${other.line} lists it as ${other.orderId}`
  if (other.problem !== null) return `line ${other.line} lists it, too, and cannot be read`
  const isSame = other.amount === order.amount && other.userEmail === order.userEmail
  return isSame ? null : `line ${other.line} lists it with other values`
}
