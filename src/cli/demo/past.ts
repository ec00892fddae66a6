import { dayMs, nextVietnamMidnight } from '../../rules/vietnam-day.ts'
import { type Draw, drawsFrom } from './draws.ts'
import { type DemoPartnerId, users } from './partners.ts'
import { operatorChanges, type PastChange, pastDays } from './past-changes.ts'

export type Award = { tenantId: string; orderId: string; userEmail: string; amount: number; note?: string }

/** What happened at a time: a request of a partner, or a change by an operator. */
export type PastEvent = ({ at: number } & PastRequest) | PastChange

export type PastRequest = {
  kind: 'request'
  partnerId: DemoPartnerId
  award: Award
  /** Signed with another secret. */
  wrongSecret?: true
  /** How far the partner's clock is behind. */
  behindMs?: number
}

const hourMs = 3_600_000
const minuteMs = 60_000

/**
 * Six Vietnam days and today until `now`, oldest first. Only the times depend on `now`. What there is to find: acme reached its
 * perPartnerDay yesterday evening and it was raised; globex sends most orders twice within two seconds, and was suspended for
 * two hours four days ago; initech signed with a wrong secret three days ago, its clock is behind today, and it is near its cap.
 * Today each cap has refused something, and an order was sent again with another amount.
 */
export function pastOf(now: number): PastEvent[] {
  const midnight = nextVietnamMidnight(now) - dayMs
  const startOf = (daysAgo: number) => midnight - daysAgo * dayMs
  const events: PastEvent[] = [...operatorChanges(startOf), ...sandboxAwards(startOf(pastDays))]
  for (let daysAgo = pastDays; daysAgo >= 0; daysAgo--) {
    const open = startOf(daysAgo) + 8 * hourMs
    const shop: Shop =
      daysAgo > 0 ? { daysAgo, from: open, to: open + 14 * hourMs } : { daysAgo, ...soFar(midnight, now) }
    events.push(...acmeDay(shop), ...globexDay(shop), ...initechDay(shop))
    if (daysAgo === 0) events.push(...refusedToday(shop))
  }
  return events.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
}

/** The hours of a day in which partners send. */
type Shop = { daysAgo: number; from: number; to: number }

/** Today has as many awards however early it is, so that there is always something to see. */
function soFar(midnight: number, now: number): { from: number; to: number } {
  const open = midnight + 8 * hourMs
  return { from: now - open > 2 * hourMs ? open : midnight, to: now }
}

/** Acme tried the service before its first order. */
function sandboxAwards(start: number): PastEvent[] {
  return [1, 2, 3].map((n) => ({
    at: start + 7.5 * hourMs + n * minuteMs,
    kind: 'request',
    partnerId: 'acme',
    award: { tenantId: 't1-test', orderId: `test-${n}`, userEmail: 'qa@example.com', amount: n * 1_000 },
  }))
}

/** Books: yesterday more than usual. What its cap refused was sent again when the cap was raised, except one order. */
function acmeDay({ daysAgo, from, to }: Shop): PastEvent[] {
  const draw = drawsFrom(100 + daysAgo)
  const orders = daysAgo === 1 ? 18 : 11
  const events = timesOf(orders, from, to, draw).map((at, index): PastEvent & PastRequest => {
    const orderId = `A-${10_000 + (pastDays - daysAgo) * 100 + index + 1}`
    const amount = daysAgo === 1 ? draw(108_000, 182_000) : draw(79_000, 188_000)
    const note = `Order ${orderId}`
    const award = { tenantId: 't1', orderId, userEmail: userOf(draw), amount, note }
    return { at, kind: 'request', partnerId: 'acme', award }
  })
  if (daysAgo === 2) events.push(otherAmount(events[4]!), tooSmall(events[8]!))
  if (daysAgo === 1) {
    const raisedAt = from + 12.1 * hourMs
    const late = events.filter(({ at }) => at > from + 10 * hourMs && at < raisedAt)
    events.push(
      ...late.slice(0, -1).map((event, index) => ({ ...event, at: raisedAt + (index + 2) * minuteMs })),
    )
  }
  return events
}

/** Tickets: larger amounts, and a client that does not wait for the response. */
function globexDay({ daysAgo, from, to }: Shop): PastEvent[] {
  const draw = drawsFrom(200 + daysAgo)
  return timesOf(9, from, to, draw).flatMap((at, index): PastEvent[] => {
    const orderId = `GX${(pastDays - daysAgo) * 100 + index + 70_001}`
    const tenantId = index % 3 === 0 ? 't2' : 't1'
    const award = { tenantId, orderId, userEmail: userOf(draw), amount: draw(120_000, 480_000) }
    const event: PastEvent & PastRequest = { at, kind: 'request', partnerId: 'globex', award }
    const again = { ...event, at: at + draw(700, 1_900) }
    if (index === 7) return [event, tooSmall(event)]
    return index % 3 === 2 ? [event] : [event, again]
  })
}

/** Payments: many small ones. */
function initechDay({ daysAgo, from, to }: Shop): PastEvent[] {
  const draw = drawsFrom(300 + daysAgo)
  const behindMs = daysAgo === 0 ? 82_000 : 400
  const events = timesOf(12, from, to, draw).map((at, index): PastEvent & PastRequest => {
    const orderId = `pay_${(pastDays - daysAgo) * 1_000 + index * 7 + 500_003}`
    const amount = daysAgo === 0 ? draw(76_000, 98_000) : draw(26_000, 98_000)
    const award = { tenantId: 't2', orderId, userEmail: userOf(draw), amount }
    return { at, kind: 'request', partnerId: 'initech', award, behindMs }
  })
  if (daysAgo !== 3) return events
  const first = events[2]!
  const wrong = Array.from({ length: 12 }, (_, retry) => ({
    ...first,
    at: first.at - (12 - retry) * 15_000,
    wrongSecret: true as const,
  }))
  return [...events, ...wrong]
}

/** A user over perUserDay, an award over perTx, and a known order with another amount. */
function refusedToday({ from, to }: Shop): PastEvent[] {
  const at = (part: number) => Math.round(from + (to - from) * part)
  const [lan, minh] = ['lan@example.com', 'minh@example.com']
  const first = { tenantId: 't1', orderId: 'GX70690', userEmail: lan, amount: 480_000 }
  const second = { tenantId: 't1', orderId: 'GX70691', userEmail: lan, amount: 460_000 }
  const large = { tenantId: 't2', orderId: 'pay_506900', userEmail: minh, amount: 260_000 }
  const again = { tenantId: 't1', orderId: 'A-10601', userEmail: minh, amount: 99_000 }
  return [
    { at: at(0.4), kind: 'request', partnerId: 'globex', award: first },
    { at: at(0.55), kind: 'request', partnerId: 'globex', award: second },
    { at: at(0.62), kind: 'request', partnerId: 'globex', award: second },
    { at: at(0.7), kind: 'request', partnerId: 'initech', award: large, behindMs: 82_000 },
    { at: at(0.8), kind: 'request', partnerId: 'acme', award: again },
  ]
}

function timesOf(count: number, from: number, to: number, draw: Draw): number[] {
  const each = (to - from) / count
  return Array.from({ length: count }, (_, index) =>
    Math.round(from + each * index + (each * draw(50, 850)) / 1_000),
  )
}

function userOf(draw: Draw): string {
  return users[draw(0, users.length - 1)]!
}

function otherAmount(event: PastEvent & PastRequest): PastEvent & PastRequest {
  return {
    ...event,
    at: event.at + 9 * minuteMs,
    award: { ...event.award, amount: event.award.amount + 5_000 },
  }
}

function tooSmall(event: PastEvent & PastRequest): PastEvent & PastRequest {
  return {
    ...event,
    at: event.at + 30_000,
    award: { ...event.award, orderId: `${event.award.orderId}-fee`, amount: 900 },
  }
}
