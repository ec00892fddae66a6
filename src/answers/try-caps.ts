import { fitsUnder } from '../rules/caps.ts'
import { isoTime } from '../rules/iso-time.ts'
import { dayText, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import type { CapInForce } from './caps-in-force.ts'
import type { AccountDay, LedgerQueries } from './ledger-queries.ts'
import { namedPartner, namedTenant } from './named.ts'
import { type RefusedDemand, refusedDemand } from './refused-demand.ts'
import { readSettings } from './settings.ts'
import type { AnswerSources } from './sources.ts'

/** A day on which the new cap would have made a difference. */
type TriedDay = {
  day: string
  /** What was credited. */
  awards: number
  points: number
  /** Of that, what the new cap would have refused. */
  refusedAwards: number
  refusedPoints: number
  /** Refused then, and admitted by the new cap. */
  admittedOrders: number
  admittedPoints: number
}

export type TriedTenant = {
  tenantId: string
  sandbox: boolean
  now: CapInForce
  days: TriedDay[]
}

export type TriedCap = {
  partnerId: string
  perPartnerDay: number
  from: string
  to: string
  tenants: TriedTenant[]
  refused: { awards: number; points: number }
  /**
   * At least: refusals are on record for a limited time and up to a quota per hour, and without users, whose own cap might
   * have refused them.
   */
  admittedAtLeast: { orders: number; points: number }
  /** Refused then, and by the new cap, too. At most: some were credited on a later day. */
  stillRefused: { orders: number; points: number }
  /** Since when refusals are on record; null: none is. */
  refusalsSince: string | null
  /** There were more refusals than are looked at: the newest are. */
  isCut: boolean
}

type TryQuestion = {
  partnerId: string
  tenantId?: string | undefined
  perPartnerDay: number
  /** The last days, today included. */
  days: number
  now: number
}

/** What another perPartnerDay would have changed in the last days. Nothing is written. */
export async function tryCaps(sources: AnswerSources, question: TryQuestion): Promise<TriedCap> {
  const { queries, journal } = sources
  const { partnerId, tenantId, perPartnerDay, now } = question
  const partner = await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const to = vietnamDay(now)
  const from = to - question.days + 1
  const settings = await readSettings(queries, partner)
  const since = vietnamDayStart(from)
  const demand = await refusedDemand(sources, { partnerId, tenantId, since })

  const credited: AccountDay[] = []
  for await (const days of queries.accountDays({ partnerId, tenantId, from, to })) credited.push(...days)
  const byTenant = Map.groupBy(credited, (day) => day.tenantId)
  const tenantIds = [...new Set([...byTenant.keys(), ...demand.tenants.keys()])].sort()
  const tenants: TriedTenant[] = []
  const stillRefused = new Map<string, number>()
  for (const id of tenantIds) {
    tenants.push({
      tenantId: id,
      sandbox: settings.isSandbox(id),
      now: settings.capsOf({ partnerId, tenantId: id }).perPartnerDay,
      days: await tryDays(sources, {
        credited: byTenant.get(id) ?? [],
        refused: demand.tenants.get(id) ?? [],
        perPartnerDay,
        stillRefused,
      }),
    })
  }
  const all = tenants.flatMap(({ days }) => days)
  const begin = await journal.begin()
  return {
    partnerId,
    perPartnerDay,
    from: dayText(from),
    to: dayText(to),
    tenants,
    refused: { awards: sumOf(all, 'refusedAwards'), points: sumOf(all, 'refusedPoints') },
    admittedAtLeast: { orders: sumOf(all, 'admittedOrders'), points: sumOf(all, 'admittedPoints') },
    stillRefused: {
      orders: stillRefused.size,
      points: [...stillRefused.values()].reduce((sum, points) => sum + points, 0),
    },
    refusalsSince: begin.refusals === null ? null : isoTime(begin.refusals),
    isCut: demand.isCut,
  }
}

function sumOf<K extends string>(days: Record<K, number>[], field: K): number {
  return days.reduce((sum, day) => sum + day[field], 0)
}

type TenantPast = {
  credited: AccountDay[]
  refused: RefusedDemand[]
  perPartnerDay: number
  /** By order: what this finds to be refused again is added. */
  stillRefused: Map<string, number>
}

/** The days of one tenant on which something would have been different, in their order. */
async function tryDays(
  { queries, fingerprintOf }: AnswerSources,
  { credited, refused, perPartnerDay, stillRefused }: TenantPast,
): Promise<TriedDay[]> {
  const creditedOn = new Map(credited.map((one) => [one.day, one]))
  const refusedOn = Map.groupBy(refused, (one) => vietnamDay(one.at))
  const admitted = new Set<string>()
  const tried: TriedDay[] = []
  for (const day of [...new Set([...creditedOn.keys(), ...refusedOn.keys()])].sort((a, b) => a - b)) {
    const past = creditedOn.get(day)
    const kept = past === undefined ? none : await replay(queries, past, perPartnerDay)
    // If some of the credited ones are refused, there is no room for others.
    const demand = refusedOn.get(day) ?? []
    const orders = kept.refusedAwards > 0 ? [] : demand.filter(({ limit }) => limit < perPartnerDay)
    const creditedOrders = orders.length === 0 || past === undefined ? [] : await ordersOf(queries, past)
    // An order that was credited later that day is among the credited ones already.
    const isCredited = new Set(await Promise.all(creditedOrders.map(fingerprintOf)))
    const waiting = orders.filter(({ order }) => !isCredited.has(order) && !admitted.has(order))
    const fitting = admit(waiting, perPartnerDay, kept.points)
    for (const { order } of fitting) admitted.add(order)
    for (const { order, requested } of demand) if (!isCredited.has(order)) stillRefused.set(order, requested)
    if (kept.refusedAwards + fitting.length === 0) continue
    tried.push({
      day: dayText(day),
      awards: past?.awards ?? 0,
      points: past?.points ?? 0,
      refusedAwards: kept.refusedAwards,
      refusedPoints: (past?.points ?? 0) - kept.points,
      admittedOrders: fitting.length,
      admittedPoints: sumOf(fitting, 'requested'),
    })
  }
  for (const order of admitted) stillRefused.delete(order)
  return tried
}

const none = { points: 0, refusedAwards: 0 }

/** The day again, award after award, under the new cap. A day that fits as a whole need not be read. */
async function replay(
  queries: LedgerQueries,
  day: AccountDay,
  perPartnerDay: number,
): Promise<{ points: number; refusedAwards: number }> {
  if (day.points <= perPartnerDay) return { points: day.points, refusedAwards: 0 }
  let points = 0
  let refusedAwards = 0
  for await (const entries of queries.entriesIn(day)) {
    for (const entry of entries) {
      if (fitsUnder(perPartnerDay, points, entry.points)) points += entry.points
      else refusedAwards++
    }
  }
  return { points, refusedAwards }
}

async function ordersOf(queries: LedgerQueries, day: AccountDay): Promise<string[]> {
  const orders: string[] = []
  for await (const entries of queries.entriesIn(day)) orders.push(...entries.map(({ orderId }) => orderId))
  return orders
}

/** In the order in which they were refused, each if it fits beside those before it. */
function admit(waiting: RefusedDemand[], perPartnerDay: number, used: number): RefusedDemand[] {
  let points = used
  const seen = new Set<string>()
  return waiting.filter(({ order, requested }) => {
    if (seen.has(order) || !fitsUnder(perPartnerDay, points, requested)) return false
    seen.add(order)
    points += requested
    return true
  })
}
