import type { Entry } from '../rules/entry.ts'
import { isoTime } from '../rules/iso-time.ts'
import { isSandbox } from '../rules/tenant-mode.ts'
import { dayText, vietnamDay } from '../rules/vietnam-day.ts'
import type { CapPlace } from './caps-in-force.ts'
import type { LedgerQueries, Slow } from './ledger-queries.ts'
import { namedTenant, namedUser } from './named.ts'

type UserAward = {
  awardedAt: string
  partnerId: string
  orderId: string
  points: number
  rawAmount: number
  note: string | null
  epTransactionId: string
}

/** The user's EP history in a tenant: the awards of all partners, newest first. */
export type UserHistory = {
  userEmail: string
  tenantId: string
  sandbox: boolean
  /** EP of all time. */
  total: number
  today: { day: string; points: number; limit: number; from: CapPlace }
  awards: UserAward[]
  /** There are older awards. */
  hasMore: boolean
}

type UserQuestion = { userEmail: string; tenantId: string; limit: number; now: number }

export async function userHistory(
  queries: LedgerQueries,
  question: UserQuestion,
  slow: Slow,
): Promise<UserHistory> {
  const { tenantId, limit, now } = question
  const user = { tenantId, userEmail: namedUser(question.userEmail) }
  const tenant = await namedTenant(queries, tenantId)
  const days = await queries.userDays(user)
  const entries = await queries.entriesOfAddress(user, limit + 1, slow)
  const today = vietnamDay(now)
  const { perUserDay } = await queries.defaultCaps()
  return {
    ...user,
    sandbox: isSandbox(tenant),
    total: days.reduce((sum, { points }) => sum + points, 0),
    today: {
      day: dayText(today),
      points: days.find(({ day }) => day === today)?.points ?? 0,
      limit: tenant.perUserDay ?? perUserDay,
      from: tenant.perUserDay === null ? 'default' : 'tenant',
    },
    awards: entries.slice(0, limit).map(userAward),
    hasMore: entries.length > limit,
  }
}

function userAward(entry: Entry): UserAward {
  const { partnerId, orderId, points, rawAmount, note, epTransactionId } = entry
  return {
    awardedAt: isoTime(entry.awardedAt, 'entries'),
    partnerId,
    orderId,
    points,
    rawAmount,
    note,
    epTransactionId,
  }
}
