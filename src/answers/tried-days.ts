import { storedDayText } from '../rules/iso-time.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import type { AccountDay, LedgerQueries } from './ledger-queries.ts'
import type { RefusedDemand } from './refused-demand.ts'
import type { AnswerSources } from './sources.ts'
import type { CapTrial } from './cap-trial.ts'

/**
 * A Vietnam day with awards, or with orders that the cap refused. What was refused then is what the new cap would have admitted
 * and what it would still have refused: `refusedThen` is the sum of both.
 */
export type TriedDay = {
  day: string
  /** What was credited. */
  awards: number
  points: number
  /** Of that, what the new cap would have refused. */
  refusedAwards: number
  refusedPoints: number
  /**
   * What the cap refused: each order once, on the day on which it was first refused, and none that was credited that day
   * after all.
   */
  refusedThenOrders: number
  refusedThenPoints: number
  /** Of that, what the new cap would have admitted, on that day or when it was sent again. */
  admittedOrders: number
  admittedPoints: number
  /** And what it would have refused, too. */
  stillRefusedOrders: number
  stillRefusedPoints: number
}

type TenantPast = { credited: AccountDay[]; refused: RefusedDemand[]; trial: CapTrial }

/** What would have become of an order that was refused. */
type Fate = { day: number; requested: number; isAdmitted: boolean }

/** The days of one tenant, in their order. */
export async function tryDays(sources: AnswerSources, past: TenantPast): Promise<TriedDay[]> {
  const { trial } = past
  const creditedOn = new Map(past.credited.map((one) => [one.day, one]))
  const refusedOn = Map.groupBy(past.refused, (one) => vietnamDay(one.at))
  const keptOn = new Map<number, Kept>()
  const fates = new Map<string, Fate>()
  for (const day of [...new Set([...creditedOn.keys(), ...refusedOn.keys()])].sort((a, b) => a - b)) {
    const credited = creditedOn.get(day)
    const kept = credited === undefined ? none : await keptOf(sources.queries, credited, trial)
    keptOn.set(day, kept)
    // An order that was credited later that day is among the credited ones already.
    const known = await creditedAmong(sources, credited, refusedOn.get(day) ?? [])
    const demand = (refusedOn.get(day) ?? []).filter(({ order }) => !known.has(order))
    const isFull = trial.isOfDay && kept.awards < (credited?.awards ?? 0)
    const waiting = demand.filter(({ order, limit }) => limit < trial.limit && !fates.get(order)?.isAdmitted)
    const admitted = admit(isFull ? [] : waiting, trial, kept)
    for (const { order, requested } of demand) {
      const fate = fates.get(order) ?? { day, requested, isAdmitted: false }
      fates.set(order, { ...fate, isAdmitted: fate.isAdmitted || admitted.has(order) })
    }
  }
  const fatesOn = Map.groupBy(fates.values(), ({ day }) => day)
  return [...keptOn]
    .filter(([day]) => creditedOn.has(day) || fatesOn.has(day))
    .map(([day, kept]) => triedDay(day, creditedOn.get(day) ?? none, { kept, fates: fatesOn.get(day) ?? [] }))
}

type Kept = { awards: number; points: number }
const none: Kept = { awards: 0, points: 0 }

function triedDay(
  day: number,
  { awards, points }: Kept,
  { kept, fates }: { kept: Kept; fates: Fate[] },
): TriedDay {
  const [all, admitted] = [sumsOf(fates), sumsOf(fates.filter(({ isAdmitted }) => isAdmitted))]
  return {
    day: storedDayText(day, 'entries'),
    awards,
    points,
    refusedAwards: awards - kept.awards,
    refusedPoints: points - kept.points,
    refusedThenOrders: all.orders,
    refusedThenPoints: all.points,
    admittedOrders: admitted.orders,
    admittedPoints: admitted.points,
    stillRefusedOrders: all.orders - admitted.orders,
    stillRefusedPoints: all.points - admitted.points,
  }
}

function sumsOf(fates: Fate[]): { orders: number; points: number } {
  return { orders: fates.length, points: fates.reduce((sum, { requested }) => sum + requested, 0) }
}

/** The day again, award after award, under the new cap. A day that fits as a whole need not be read. */
async function keptOf(queries: LedgerQueries, day: AccountDay, trial: CapTrial): Promise<Kept> {
  if (trial.keepsAll(day)) return { awards: day.awards, points: day.points }
  const kept = { ...none }
  for await (const entries of queries.entriesIn(day)) {
    for (const { points } of entries) {
      if (!trial.keeps(points, kept.points)) continue
      kept.awards++
      kept.points += points
    }
  }
  return kept
}

/** Which of the refused orders were credited that day after all, as the journal names them. */
async function creditedAmong(
  { queries, fingerprintOf }: AnswerSources,
  day: AccountDay | undefined,
  refused: RefusedDemand[],
): Promise<ReadonlySet<string | null>> {
  const credited = new Set<string | null>()
  if (day === undefined || refused.length === 0) return credited
  for await (const entries of queries.entriesIn(day))
    for (const { orderId } of entries) credited.add(await fingerprintOf(orderId))
  return credited
}

/** In the order in which they were refused, each if it fits beside those before it. */
function admit(waiting: RefusedDemand[], trial: CapTrial, kept: Kept): ReadonlySet<string> {
  const admitted = new Set<string>()
  let { points } = kept
  for (const { order, requested } of waiting) {
    if (admitted.has(order) || !trial.admits(requested, points)) continue
    admitted.add(order)
    points += requested
  }
  return admitted
}
