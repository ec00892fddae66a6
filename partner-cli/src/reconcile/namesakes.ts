import type { Order } from './finding.ts'
import { asDigits, endNumber, withoutSigns } from './spelling.ts'

/**
 * Of orders with the same user and EP, those that may be one order under two orderIds: one contains the other, as SO-1003
 * contains 1003, or both end in the same number, as WEB-1003 and SO-1003 do. By the orderId, with another order that it may
 * be. A user may have thousands of such orders, so they are looked up; they are not compared in pairs.
 */
export function findNamesakes(orders: Order[]): Map<string, Order> {
  const namesakes = new Map<string, Order>()
  const add = (order: Order, other: Order) => {
    if (other.orderId === order.orderId) return
    namesakes.set(order.orderId!, other)
    namesakes.set(other.orderId!, order)
  }
  const byName = new Map(orders.map((order) => [nameOf(order), order]))
  const hashes = new Set([...byName.keys()].map(hashOf))
  /** By the number at the end, then by what is in front of it. */
  const byEnd = new Map<string, Map<string, Order>>()
  for (const order of orders) {
    for (const piece of piecesOf(order, hashes)) {
      const other = byName.get(piece)
      if (other !== undefined) add(order, other)
    }
    const end = endNumber(order.orderId!)
    if (end === null) continue
    const alike = byEnd.get(end.number) ?? new Map<string, Order>()
    byEnd.set(end.number, alike.set(end.front, order))
    const [first, second] = alike
    if (second !== undefined) add(order, first![0] === end.front ? second[1] : first![1])
  }
  return namesakes
}

/** An O typed for a zero makes no difference, wherever it is: ORD0049O and ORD00490. */
function nameOf({ orderId }: Order): string {
  return asDigits(withoutSigns(orderId!))
}

/** A shorter piece is in too many orderIds by chance, unless it is a whole number or word: 7 in SO-007. */
const pieceLengthMin = 3

/** A long name has thousands of pieces: only those are made whose hash is that of a name. */
function* piecesOf(order: Order, hashes: Set<number>): Generator<string, void, undefined> {
  const name = nameOf(order)
  yield name
  for (const run of withoutSigns(order.orderId!).match(/\d+|\D+/g) ?? [])
    yield asDigits(run.replace(/^0+/, ''))
  for (let start = 0; start < name.length; start++) {
    let hash = 0
    for (let end = start + 1; end <= name.length; end++) {
      hash = nextHash(hash, name.charCodeAt(end - 1))
      if (end - start >= pieceLengthMin && hashes.has(hash)) yield name.slice(start, end)
    }
  }
}

function hashOf(name: string): number {
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = nextHash(hash, name.charCodeAt(index))
  return hash
}

function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0
}
