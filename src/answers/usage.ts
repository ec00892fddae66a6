import { noEntries } from '../rules/entry-sums.ts'
import { isoTime } from '../rules/iso-time.ts'
import { dayText, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import type { CapPlace } from './caps-in-force.ts'
import type { AccountDay, AccountFilter, LedgerQueries, SeqRange } from './ledger-queries.ts'
import { namedPartner, namedTenant } from './named.ts'
import { readSettings, type Settings } from './settings.ts'

/** `from` is null for a day that is over: the limit is the one that the day's last award was decided by. */
type Limit = { limit: number; from: CapPlace | null }

export type AccountUsage = {
  partnerId: string
  tenantId: string
  sandbox: boolean
  awards: number
  points: number
  perPartnerDay: Limit
}

/** An account whose cap nobody knows, because a row was changed from outside. */
export type DamagedUsage = Omit<AccountUsage, 'perPartnerDay'> & { problem: string }

export type TenantUsage = {
  tenantId: string
  sandbox: boolean
  perUserDay: Limit
  /** Those nearest to the cap, first. */
  users: { userEmail: string; points: number }[]
}

/** How much of the daily caps is used, the fullest first. */
export type UsageAnswer = {
  day: string
  /** When the counters of the day reset. */
  endsAt: string
  isOver: boolean
  accounts: AccountUsage[]
  damaged: DamagedUsage[]
  /** Without those whose row is damaged. */
  tenants: TenantUsage[]
}

type UsageQuestion = {
  day: number
  now: number
  partnerId?: string | undefined
  tenantId?: string | undefined
  /** False: nobody needs to know which users are near their cap. It takes most of the time. */
  withUsers?: boolean
}

/** Of each tenant. */
const usersMax = 20

export async function usage(queries: LedgerQueries, question: UsageQuestion): Promise<UsageAnswer> {
  const { day, now, partnerId, tenantId, withUsers = true } = question
  const named = partnerId === undefined ? null : await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const settings = await readSettings(queries, named)
  const isOver = day < vietnamDay(now)

  async function usedAccounts(filter: AccountFilter): Promise<UsedAccount[]> {
    const days = (await Array.fromAsync(queries.accountDays({ ...filter, from: day, to: day }))).flat()
    const limits = isOver ? await recordedLimits(queries, days) : days.map((one) => limitsNow(settings, one))
    return days.map((one, index) => ({ ...one, ...limits[index]! }))
  }
  const used = await usedAccounts({ partnerId, tenantId })
  const tenantIds = new Set(used.map((account) => account.tenantId))
  async function usedInTenants(): Promise<UsedAccount[]> {
    if (partnerId === undefined || tenantIds.size === 0) return used
    // A user's EP count from all partners, whichever partner is asked about.
    const [only] = tenantIds.size === 1 ? tenantIds : []
    const ofAllPartners = await usedAccounts({ tenantId: only })
    return ofAllPartners.filter((account) => tenantIds.has(account.tenantId))
  }
  // A partner that is asked for by name is shown with the tenants that it has not used.
  const unused = (isOver ? [] : (named?.grants ?? []))
    .filter((grant) => tenantId === undefined || grant.tenantId === tenantId)
    .filter((grant) => !used.some((account) => account.tenantId === grant.tenantId))
    .map((grant) => ({ partnerId: named!.partnerId, tenantId: grant.tenantId, ...noEntries }))
    .map((account) => ({ ...account, ...limitsNow(settings, account) }))

  const shown = [...used, ...unused].map((account) => shownUsage(account, settings))
  return {
    day: dayText(day),
    endsAt: isoTime(vietnamDayStart(day + 1)),
    isOver,
    accounts: shown.filter((account) => 'perPartnerDay' in account).sort(fullestFirst),
    damaged: shown.filter((account) => 'problem' in account),
    tenants: withUsers ? await tenantUsages(queries, await usedInTenants(), settings) : [],
  }
}

type Limits = {
  /** Or what is damaged, in words. */
  perPartnerDay: Limit | string
  /** Null: the tenant's row is damaged. */
  perUserDay: Limit | null
  decidedAt: number
}
type UsedAccount = AccountDay & Limits

function limitsNow(settings: Settings, account: { partnerId: string; tenantId: string }): Limits {
  return {
    perPartnerDay: settings.damageOf(account) ?? settings.capsOf(account).perPartnerDay,
    perUserDay: settings.perUserDayOf(account.tenantId),
    decidedAt: 0,
  }
}

/** By the last entry of each range. */
async function recordedLimits(queries: LedgerQueries, ranges: SeqRange[]): Promise<Limits[]> {
  const last = await queries.entriesAt(ranges.map((range) => ({ ...range, seq: range.lastSeq })))
  return last.map((entry) => {
    const { caps, awardedAt } = entry!
    return {
      perPartnerDay: { limit: caps.perPartnerDay, from: null },
      perUserDay: { limit: caps.perUserDay, from: null },
      decidedAt: awardedAt,
    }
  })
}

type Used = Omit<DamagedUsage, 'sandbox' | 'problem'> & Pick<Limits, 'perPartnerDay'>

function shownUsage(account: Used, { isSandbox }: Settings): AccountUsage | DamagedUsage {
  const { partnerId, tenantId, awards, points, perPartnerDay } = account
  const figures = { partnerId, tenantId, sandbox: isSandbox(tenantId), awards, points }
  return typeof perPartnerDay === 'string'
    ? { ...figures, problem: perPartnerDay }
    : { ...figures, perPartnerDay }
}

/** Of the tenants of these accounts, in the order of their ids. */
async function tenantUsages(
  queries: LedgerQueries,
  accounts: UsedAccount[],
  { isSandbox }: Settings,
): Promise<TenantUsage[]> {
  const users = await queries.highestUserDays(accounts, usersMax)
  const tenants = [...Map.groupBy(accounts, ({ tenantId }) => tenantId)].sort(([a], [b]) => (a < b ? -1 : 1))
  return tenants.flatMap(([tenantId, ofTenant]) => {
    const { perUserDay } = ofTenant.reduce((a, b) => (b.decidedAt > a.decidedAt ? b : a))
    if (perUserDay === null) return []
    return { tenantId, sandbox: isSandbox(tenantId), perUserDay, users: users.get(tenantId) ?? [] }
  })
}

/** A cap of 0 is full. */
export function fullestFirst(a: AccountUsage, b: AccountUsage): number {
  const ratio = ({ points, perPartnerDay: { limit } }: AccountUsage) => (limit === 0 ? 1 : points / limit)
  const name = ({ partnerId, tenantId }: AccountUsage) => `${partnerId} ${tenantId}`
  return ratio(b) - ratio(a) || (name(a) < name(b) ? -1 : 1)
}
