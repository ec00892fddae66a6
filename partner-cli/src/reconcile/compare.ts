import { isWithin, type TimeRange } from '../time-range.ts'
import { createDoubts, cutOff } from './doubt.ts'
import type { Credited, Finding, Order } from './finding.ts'
import { createSpellings } from './spellings.ts'
import { count, type Totals } from './totals.ts'

type Lists = {
  orders: Order[]
  awards: Credited[]
  shortened: Credited[]
  scientific: ReadonlyMap<string, Credited>
}

/**
 * One part of both lists, in memory. All rows and awards of an order, in any spelling, are in the same part; the rows
 * are in the order of the file, the awards newest first. `shortened` has the awards whose orderId a spreadsheet may have
 * shortened to one of these rows; they are compared in a part of their own, and so are those in `scientific`, to a number
 * that was sent as a spreadsheet had shortened it, by that form. Returns the awards that no row has with their
 * values, too, also those outside the range.
 */
export function compare(
  { orders, awards, shortened, scientific }: Lists,
  range: TimeRange,
  totals: Totals,
): { findings: Finding[]; unlisted: Credited[] } {
  const findings: Finding[] = []
  const unlisted: Credited[] = []
  const firstRows = new Map<string, Order>()
  const unreadable = new Set<string>()
  const notReadable = (order: Order, problem: string) => {
    count(totals.unreadable, 0)
    findings.push({
      finding: 'unreadable',
      orderId: order.orderId,
      order: { ...order, problem },
      award: null,
      detail: problem,
      doubt: null,
    })
  }
  for (const order of orders) {
    const { orderId, problem, points } = order
    count(totals.orders, points)
    const earlier = orderId === null ? undefined : firstRows.get(orderId)
    if (problem !== null || orderId === null) {
      if (orderId !== null) unreadable.add(orderId)
      notReadable(order, problem ?? '')
    } else if (earlier !== undefined) {
      count(totals.repeated, points)
      findings.push({
        finding: 'repeated',
        orderId,
        order,
        award: null,
        detail: repetition(order, earlier),
        doubt: null,
      })
    } else {
      firstRows.set(orderId, order)
    }
  }

  const credited = new Map<string, Credited>()
  const extra = (award: Credited, detail: string) => {
    unlisted.push(award)
    const isExtra = isWithin(Date.parse(award.awardedAt), range)
    count(isExtra ? totals.extra : totals.outsideRange, award.points)
    if (isExtra)
      findings.push({ finding: 'extra', orderId: award.orderId, order: null, award, detail, doubt: null })
  }
  for (const award of awards) {
    count(totals.awards, award.points)
    if (award.orderId === null) {
      extra(award, `${creditOf(award)} for no order`)
      continue
    }
    // The service credits an order once; if it ever did not, nobody must overlook it. The first award is the order's.
    const later = credited.get(award.orderId)
    if (later !== undefined) extra(later, `${creditOf(later)} once more`)
    credited.set(award.orderId, award)
  }

  const spellings = createSpellings(credited.values(), shortened, scientific)
  const doubtAbout = createDoubts(orders)
  const notCredited: Order[] = []
  for (const [orderId, order] of firstRows) {
    const award = credited.get(orderId) ?? null
    credited.delete(orderId)
    if (award === null) {
      if (order.points > 0) notCredited.push(order)
      // 50 may be the beginning of 50000.
      else if (order.mayBeCutOff) notReadable(order, `gives no EP as it is, but ${cutOff}`)
      else count(totals.belowMinimum, 0)
      continue
    }
    const differs = differing(order, award)
    count(differs === '' ? totals.matched : totals.different, award.points)
    if (differs === '') continue
    findings.push({ finding: 'different', orderId, order, award, detail: differs, doubt: null })
    unlisted.push(award) // the row may be another order's: a column of the list may have slipped
  }
  for (const order of notCredited) {
    const { orderId, points } = order
    const similar = spellings.similarTo(order)
    if (similar === null) {
      count(totals.missing, points)
      const since = range.from === null ? '' : ` since ${new Date(range.from).toISOString()}`
      const detail = `${valuesOf(order)} not credited${since}`
      findings.push({ finding: 'missing', orderId, order, award: null, detail, doubt: doubtAbout(order) })
      continue
    }
    count(totals.similar, points)
    const free = similar.awards.find((award) => credited.has(award.orderId!))
    const award = free ?? similar.awards[0] ?? null
    const detail = similar.detail(award)
    findings.push({ finding: 'similar', orderId, order, award, detail, doubt: null })
    if (free === undefined) continue
    if (differing(order, free) !== '') unlisted.push(free)
    credited.delete(free.orderId!)
    count(totals.similarOrder, free.points)
  }
  for (const [orderId, award] of credited) {
    if (unreadable.has(orderId)) {
      unlisted.push(award)
      count(totals.unreadableOrder, award.points)
    } else extra(award, `${creditOf(award)}, not in the list`)
  }
  return { findings, unlisted }
}

function differing(order: Order, award: Credited): string {
  const { userEmail, points } = order
  const differs: string[] = []
  if (points !== award.points) differs.push(`${points} EP listed, ${award.points} EP credited`)
  if (userEmail !== null && userEmail !== award.userEmail) {
    differs.push(`${userEmail} listed, ${award.userEmail} credited`)
  }
  return differs.join('; ')
}

function repetition(order: Order, first: Order): string {
  const isSame = valuesOf(order) === valuesOf(first)
  const what = isSame ? valuesOf(order) : `${valuesOf(order)} here, ${valuesOf(first)} there`
  return `is on line ${first.line} already: ${what}`
}

function valuesOf({ userEmail, points }: Order): string {
  return userEmail === null ? `${points} EP` : `${points} EP for ${userEmail}`
}

function creditOf({ points, userEmail, awardedAt }: Credited): string {
  return `${points} EP credited to ${userEmail} at ${awardedAt}`
}
