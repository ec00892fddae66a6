import type { AccountId } from '../rules/cursor.ts'
import { dayMs, nextVietnamMidnight, vietnamDay } from '../rules/vietnam-day.ts'
import type { Alert } from './alert.ts'
import { type CountRow, countPartners } from './count-partners.ts'
import {
  type AccountLimit,
  type AccountUsage,
  baselineMinutes,
  type KeySeen,
  recentMinutes,
  type Seen,
} from './rules.ts'

/** What the ledger says. */
export type LedgerSeen = {
  /** Accounts that have used much of their perPartnerDay today. */
  usage: AccountUsage[]
  /** The present perPartnerDay of the accounts that were asked for; one whose partner lost the tenant has none. */
  limits: AccountLimit[]
  /** Tenants that do not count. */
  sandboxTenants: string[]
}

/** Since when each part of the journal is read. */
type Windows = {
  /** The first minute before the recent ones. */
  before: number
  /** The first of the recent minutes. */
  recent: number
  /** Refusals by a cap: of today only, because the next day has a crossing of its own. */
  refusals: number
  /** Uses of keys. A clock that was wrong at the last use stays wrong until the next one, for a day. */
  keys: number
}

const minuteMs = 60_000

export function windowsOf(now: number): Windows {
  const thisMinute = now - (now % minuteMs)
  const recent = thisMinute - (recentMinutes - 1) * minuteMs
  const midnight = nextVietnamMidnight(now) - dayMs
  return {
    recent,
    before: recent - baselineMinutes * minuteMs,
    refusals: Math.max(recent, midnight),
    keys: now - dayMs,
  }
}

/** The accounts whose present cap the rules need: what is open, or was refused, may be about a cap that was changed. */
export function accountsInQuestion(open: Alert[], refusing: AccountId[]): AccountId[] {
  const named = open.filter(({ tenantId }) => tenantId !== null) as AccountId[]
  const accounts = [...named, ...refusing].map(({ partnerId, tenantId }) => ({ partnerId, tenantId }))
  return [
    ...new Map(accounts.map((account) => [`${account.partnerId} ${account.tenantId}`, account])).values(),
  ]
}

/** What the journal says about these windows. */
export type JournalSeen = { counts: CountRow[]; refusing: AccountLimit[]; keys: KeySeen[] }

export function seenAt(
  now: number,
  { usage, limits, sandboxTenants }: LedgerSeen,
  journal: JournalSeen,
): Seen {
  const sandbox = new Set(sandboxTenants)
  return {
    now,
    day: vietnamDay(now),
    usage,
    limits,
    partners: countPartners(journal.counts, sandbox),
    refusing: journal.refusing.filter(({ tenantId }) => !sandbox.has(tenantId)),
    keys: journal.keys,
  }
}
