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
  tenants: TenantUsage[]
}

type UsageQuestion = {
  day: number
  now: number
  partnerId?: string | undefined
  tenantId?: string | undefined
}

/** Of each tenant. */
const usersMax = 20

export async function usage(queries: LedgerQueries, question: UsageQuestion): Promise<UsageAnswer> {
  const { day, now, partnerId, tenantId } = question
  const named = partnerId === undefined ? null : await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const settings = await readSettings(queries, named)
  const isOver = day < vietnamDay(now)

  async function usedAccounts(filter: AccountFilter): Promise<UsedAccount[]> {
    const accounts: UsedAccount[] = []
    for await (const days of queries.accountDays({ ...filter, from: day, to: day })) {
      for (const one of days) {
        accounts.push({ ...one, ...(isOver ? await recordedLimits(queries, one) : limitsNow(settings, one)) })
      }
    }
    return accounts
  }
  const used = await usedAccounts({ partnerId, tenantId })
  const tenantIds = [...new Set(used.map((account) => account.tenantId))].sort()
  const tenants: TenantUsage[] = []
  for (const id of tenantIds) {
    // A user's EP count from all partners, whichever partner is asked about.
    const accounts =
      partnerId === undefined
        ? used.filter((account) => account.tenantId === id)
        : await usedAccounts({ tenantId: id })
    tenants.push(await tenantUsage(queries, accounts, settings))
  }
  // A partner that is asked for by name is shown with the tenants that it has not used.
  const unused = (isOver ? [] : (named?.grants ?? []))
    .filter((grant) => tenantId === undefined || grant.tenantId === tenantId)
    .filter((grant) => !used.some((account) => account.tenantId === grant.tenantId))
    .map((grant) => ({ partnerId: named!.partnerId, tenantId: grant.tenantId, ...noEntries }))
    .map((account) => ({ ...account, ...limitsNow(settings, account) }))

  return {
    day: dayText(day),
    endsAt: isoTime(vietnamDayStart(day + 1)),
    isOver,
    accounts: [...used, ...unused].map((account) => accountUsage(account, settings)).sort(fullestFirst),
    tenants,
  }
}

type Limits = { perPartnerDay: Limit; perUserDay: Limit; decidedAt: number }
type UsedAccount = AccountDay & Limits

function limitsNow(settings: Settings, account: { partnerId: string; tenantId: string }): Limits {
  const { perPartnerDay, perUserDay } = settings.capsOf(account)
  return { perPartnerDay, perUserDay, decidedAt: 0 }
}

async function recordedLimits(queries: LedgerQueries, { partnerId, tenantId, lastSeq }: SeqRange) {
  const last = (await queries.entryAt({ partnerId, tenantId, seq: lastSeq }))!
  const { perPartnerDay, perUserDay } = last.caps
  return {
    perPartnerDay: { limit: perPartnerDay, from: null },
    perUserDay: { limit: perUserDay, from: null },
    decidedAt: last.awardedAt,
  }
}

function accountUsage(account: Omit<AccountUsage, 'sandbox'>, { isSandbox }: Settings): AccountUsage {
  const { partnerId, tenantId, awards, points, perPartnerDay } = account
  return { partnerId, tenantId, sandbox: isSandbox(tenantId), awards, points, perPartnerDay }
}

/** Of one tenant's accounts. */
async function tenantUsage(
  queries: LedgerQueries,
  accounts: UsedAccount[],
  { isSandbox }: Settings,
): Promise<TenantUsage> {
  const { tenantId } = accounts[0]!
  const { perUserDay } = accounts.reduce((a, b) => (b.decidedAt > a.decidedAt ? b : a))
  const users = await queries.highestUserDays(accounts, usersMax)
  return { tenantId, sandbox: isSandbox(tenantId), perUserDay, users }
}

/** A cap of 0 is full. */
function fullestFirst(a: AccountUsage, b: AccountUsage): number {
  const ratio = ({ points, perPartnerDay: { limit } }: AccountUsage) => (limit === 0 ? 1 : points / limit)
  const name = ({ partnerId, tenantId }: AccountUsage) => `${partnerId} ${tenantId}`
  return ratio(b) - ratio(a) || (name(a) < name(b) ? -1 : 1)
}
