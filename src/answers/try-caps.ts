import { Refused } from '../partners/refused.ts'
import { isoTime } from '../rules/iso-time.ts'
import { dayText, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { perPartnerDayTrial, perTxTrial, type TriedCapName } from './cap-trial.ts'
import type { CapInForce } from './caps-in-force.ts'
import type { AccountDay } from './ledger-queries.ts'
import { namedPartner, namedTenant } from './named.ts'
import { refusedDemand } from './refused-demand.ts'
import { readSettings } from './settings.ts'
import type { AnswerSources } from './sources.ts'
import { type TriedDay, tryDays } from './tried-days.ts'

export type TriedTenant = {
  tenantId: string
  sandbox: boolean
  /** The value that is in force. */
  now: CapInForce
  /**
   * Those with awards, or with orders that the cap refused. All other figures are sums over these days, without those of
   * sandbox tenants, unless one is asked for by name.
   */
  days: TriedDay[]
}

export type TriedCap = {
  partnerId: string
  /** One of both is the value that was tried; the other is null. */
  perTx: number | null
  perPartnerDay: number | null
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
  /** Either this one or the other. */
  perTx?: number | undefined
  perPartnerDay?: number | undefined
  /** The last days, today included. */
  days: number
  now: number
}

/** What another perPartnerDay or perTx would have changed in the last days. Nothing is written. */
export async function tryCaps(sources: AnswerSources, question: TryQuestion): Promise<TriedCap> {
  const { queries, journal } = sources
  const { partnerId, tenantId, now } = question
  const { name, limit } = namedCap(question)
  const partner = await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const to = vietnamDay(now)
  const from = to - question.days + 1
  const settings = await readSettings(queries, partner)
  const demand = await refusedDemand(sources, {
    partnerId,
    tenantId,
    since: vietnamDayStart(from),
    cap: name,
  })

  const credited: AccountDay[] = []
  for await (const days of queries.accountDays({ partnerId, tenantId, from, to })) credited.push(...days)
  const byTenant = Map.groupBy(credited, (day) => day.tenantId)
  const tenants: TriedTenant[] = []
  for (const id of [...new Set([...byTenant.keys(), ...demand.tenants.keys()])].sort()) {
    const caps = settings.capsOf({ partnerId, tenantId: id })
    const trial = name === 'perTx' ? perTxTrial(limit, caps.perPartnerDay.limit) : perPartnerDayTrial(limit)
    const past = { credited: byTenant.get(id) ?? [], refused: demand.tenants.get(id) ?? [], trial }
    const days = await tryDays(sources, past)
    tenants.push({ tenantId: id, sandbox: settings.isSandbox(id), now: caps[name], days })
  }
  const all = tenants.filter(({ sandbox }) => !sandbox || tenantId !== undefined).flatMap(({ days }) => days)
  const begin = await journal.begin()
  return {
    partnerId,
    perTx: name === 'perTx' ? limit : null,
    perPartnerDay: name === 'perPartnerDay' ? limit : null,
    from: dayText(from),
    to: dayText(to),
    tenants,
    refused: { awards: sumOf(all, 'refusedAwards'), points: sumOf(all, 'refusedPoints') },
    admittedAtLeast: { orders: sumOf(all, 'admittedOrders'), points: sumOf(all, 'admittedPoints') },
    stillRefused: { orders: sumOf(all, 'stillRefusedOrders'), points: sumOf(all, 'stillRefusedPoints') },
    refusalsSince: begin.refusals === null ? null : isoTime(begin.refusals),
    isCut: demand.isCut,
  }
}

function namedCap({ perTx, perPartnerDay }: TryQuestion): { name: TriedCapName; limit: number } {
  if (perTx !== undefined && perPartnerDay === undefined) return { name: 'perTx', limit: perTx }
  if (perPartnerDay !== undefined && perTx === undefined)
    return { name: 'perPartnerDay', limit: perPartnerDay }
  throw new Refused('one cap is tried at a time: name either perPartnerDay or perTx')
}

function sumOf<K extends string>(days: Record<K, number>[], field: K): number {
  return days.reduce((sum, day) => sum + day[field], 0)
}
