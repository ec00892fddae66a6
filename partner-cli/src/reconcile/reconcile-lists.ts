import type { AwardHistoryItem } from '../../../sdk/src/index.ts'
import type { TimeRange } from '../time-range.ts'
import { compare } from './compare.ts'
import type { Credited, Finding, Order } from './finding.ts'
import { createNumberSpelling } from './number-spelling.ts'
import { createSameValues } from './same-values.ts'
import { isScientific, partKey, shortenedForms, shortenedNumber } from './spelling.ts'
import { createSpill, partOf } from './spill.ts'
import { noTotals, type Totals } from './totals.ts'

export type Reconciliation = {
  totals: Totals
  /** Those of the file by line, then the extra awards, newest first. To be read while the folder is there. */
  findings(): Generator<Finding, void, undefined>
  /** Not if there were more shortened numbers than are kept: then an order may be missing that is credited under one. */
  isEverySpellingKnown: boolean
}

type Reading = {
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
/** Each is some hundred bytes in memory. Of a shortened number beyond them the award is not named. */
const shortFormsMax = 100_000

/**
 * The two lists come in different orders, and neither need fit into memory. So both are split into files by a hash of
 * what all spellings of an orderId have in common; the same part of both is compared in memory, one part after the other. What is found is split once more,
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
  /** The parts that have a row with this short form. */
  const shortForms = new Map<string, Set<number>>()
  const numberSpelling = createNumberSpelling()
  let lastLine = 0
  for await (const rows of orders) {
    for (const order of rows) {
      const part = partOf(partKey(order.orderId ?? `line ${order.line}`), parts)
      orderParts.add(part, order)
      if (order.orderId !== null) numberSpelling.addListed(order.orderId)
      const short = order.orderId === null ? null : shortenedNumber(order.orderId)
      if (short !== null && shortForms.size < shortFormsMax) {
        shortForms.set(short, (shortForms.get(short) ?? new Set()).add(part))
      }
      lastLine = order.line
    }
    step.orders += rows.length
    onProgress(step)
  }

  const awardParts = createSpill<Credited>(folder, 'awards')
  const shortenedParts = createSpill<Credited>(folder, 'shortened')
  const scientific = new Map<string, Credited>()
  for await (const { epTransactionId, orderId, userEmail, points, awardedAt } of awards) {
    // The history is newest first: what follows was awarded before --from, too.
    if (range.from !== null && Date.parse(awardedAt) < range.from) break
    const award = { position: step.awards, epTransactionId, orderId, userEmail, points, awardedAt }
    awardParts.add(partOf(partKey(orderId ?? epTransactionId), parts), award)
    if (orderId !== null) numberSpelling.addCredited(orderId)
    for (const form of orderId === null || shortForms.size === 0 ? [] : shortenedForms(orderId)) {
      for (const part of shortForms.get(form) ?? []) shortenedParts.add(part, award)
    }
    if (orderId !== null && isScientific(orderId) && scientific.size < shortFormsMax) {
      scientific.set(shortenedNumber(orderId)!, award)
    }
    step.awards++
    onProgress(step)
  }

  const totals = noTotals()
  const sameValues = createSameValues(folder, parts)
  const found = createSpill<Finding>(folder, 'findings')
  const keep = (finding: Finding) => {
    const { order, award } = finding
    const place =
      order !== null
        ? Math.floor((order.line / (lastLine + 1)) * parts)
        : parts + Math.floor((award!.position / step.awards) * parts)
    // Last, because the other doubts name the order that it may be.
    if (finding.finding === 'missing') finding.doubt ??= numberSpelling.doubtAbout(finding.orderId!)
    found.add(place, finding)
  }
  for (let part = 0; part < parts; part++) {
    const lists = {
      orders: orderParts.read(part),
      awards: awardParts.read(part),
      shortened: shortenedParts.read(part),
      scientific,
    }
    const { findings, unlisted } = compare(lists, range, totals)
    for (const award of unlisted) sameValues.addUnlisted(award)
    for (const finding of findings) {
      // Without an e-mail an order is not sent, and all with as many EP would be in one part.
      if (finding.finding === 'missing' && finding.order!.userEmail !== null) sameValues.addMissing(finding)
      else keep(finding)
    }
    step.partsDone = part + 1
    onProgress(step)
  }
  for (let part = 0; part < parts && totals.missing.count > 0; part++) {
    for (const order of orderParts.read(part)) sameValues.addListed(order)
  }
  for (const finding of sameValues.settled()) keep(finding)
  return {
    totals,
    isEverySpellingKnown: shortForms.size < shortFormsMax && scientific.size < shortFormsMax,
    *findings() {
      for (let part = 0; part < 2 * parts; part++) yield* found.read(part).sort(byPlace)
    },
  }
}

function byPlace(a: Finding, b: Finding): number {
  return (a.order?.line ?? a.award!.position) - (b.order?.line ?? b.award!.position)
}
