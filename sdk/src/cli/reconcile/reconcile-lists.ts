import type { AwardHistoryItem } from '../../awards.ts'
import type { TimeRange } from '../time-range.ts'
import { compare } from './compare.ts'
import type { Credited, Finding, Order } from './finding.ts'
import { createSpill, partOf } from './spill.ts'
import { noTotals, type Totals } from './totals.ts'

export type Reconciliation = {
  totals: Totals
  /** Those of the file by line, then the extra awards, newest first. To be read while the folder is there. */
  findings(): Generator<Finding, void, undefined>
}

export type Reading = {
  orders: AsyncIterable<Order[]>
  awards: AsyncIterable<AwardHistoryItem>
  range: TimeRange
  /** Empty, and nobody else's: the lists are kept in it. */
  folder: string
  parts?: number
  /** After every batch of rows, every award and every part. */
  onProgress?: (step: { orders: number; awards: number; partsDone: number; parts: number }) => void
}

/** A million rows give parts of some four thousand. */
const partsDefault = 256

/**
 * The two lists come in different orders, and neither need fit into memory. So both are split by a hash of the orderId
 * into files; the same part of both is compared in memory, one part after the other. What is found is split once more,
 * by its place in the list, and sorted part by part.
 */
export async function reconcileLists({
  orders,
  awards,
  range,
  folder,
  parts = partsDefault,
  onProgress = () => {},
}: Reading): Promise<Reconciliation> {
  const step = { orders: 0, awards: 0, partsDone: 0, parts }
  const orderParts = createSpill<Order>(folder, 'orders')
  let lastLine = 0
  for await (const rows of orders) {
    for (const order of rows) {
      orderParts.add(partOf(order.orderId ?? `line ${order.line}`, parts), order)
      lastLine = order.line
    }
    step.orders += rows.length
    onProgress(step)
  }

  const awardParts = createSpill<Credited>(folder, 'awards')
  for await (const { epTransactionId, orderId, userEmail, points, awardedAt } of awards) {
    // The history is newest first: what follows was awarded before --from, too.
    if (range.from !== null && Date.parse(awardedAt) < range.from) break
    const award = { position: step.awards, epTransactionId, orderId, userEmail, points, awardedAt }
    awardParts.add(partOf(orderId ?? epTransactionId, parts), award)
    step.awards++
    onProgress(step)
  }

  const totals = noTotals()
  const found = createSpill<Finding>(folder, 'findings')
  for (let part = 0; part < parts; part++) {
    const pair = { orders: orderParts.read(part), awards: awardParts.read(part) }
    for (const finding of compare(pair, range, totals)) {
      const { order, award } = finding
      const place =
        order !== null
          ? Math.floor((order.line / (lastLine + 1)) * parts)
          : parts + Math.floor((award!.position / step.awards) * parts)
      found.add(place, finding)
    }
    step.partsDone = part + 1
    onProgress(step)
  }
  return {
    totals,
    *findings() {
      for (let part = 0; part < 2 * parts; part++) yield* found.read(part).sort(byPlace)
    },
  }
}

function byPlace(a: Finding, b: Finding): number {
  return (a.order?.line ?? a.award!.position) - (b.order?.line ?? b.award!.position)
}
