/**
 * The ledger as the published rules describe it, and nothing else: plain maps, no batches, no transactions. It shares no code
 * with the service, so that the two can be compared.
 */
export type Ask = {
  partnerId: string
  tenantId: string
  orderId: string
  userEmail: string
  amount: number
  note: string | null
  meta: string | null
}

export type CapsModel = { perTx: number | null; perPartnerDay: number | null }
type AllCaps = { perTx: number; perPartnerDay: number; perUserDay: number }

/** A credited award. Its place in the account's list is its seq. */
export type Credit = Ask & {
  id: string
  points: number
  awardedAt: number
  caps: AllCaps
  partnerDayTotal: number
}

export type PartnerModel = CapsModel & {
  suspended: boolean
  grants: Map<string, CapsModel>
  keys: { createdAt: number; expiresAt: number | null }[]
}

export type Answer = { kind: 'credited' | 'duplicate' | 'rejected'; [detail: string]: unknown }

const dayLength = 24 * 60 * 60 * 1000
const firstMidnight = Date.parse('1970-01-01T00:00:00+07:00')

export class Model {
  now = 0
  readonly partners = new Map<string, PartnerModel>()
  /** perUserDay of each tenant, null if none is set. */
  readonly tenants = new Map<string, number | null>()
  /** The awards of each account (partner and tenant), oldest first. */
  readonly histories = new Map<string, Credit[]>()
  readonly orders = new Map<string, Credit>()
  readonly userDays = new Map<string, { tenantId: string; userEmail: string; day: number; points: number }>()
  defaults: AllCaps

  constructor(defaults: AllCaps) {
    this.defaults = { ...defaults }
  }

  /** The outcome of an award by the published order of checks. Changes nothing. */
  answer(ask: Ask, id: string): Answer {
    const partner = this.partners.get(ask.partnerId)
    if (!partner?.grants.has(ask.tenantId)) return rejected({ code: 'TENANT_NOT_ALLOWED' })
    const known = this.orders.get(`${ask.partnerId} ${ask.orderId}`)
    if (known !== undefined) return answerKnown(known, ask)
    if (partner.suspended) return rejected({ code: 'PARTNER_SUSPENDED' })
    const { points, caps, awardedAt, partnerUsed, userUsed } = this.#circumstances(ask)
    if (points === 0) return rejected({ code: 'AMOUNT_BELOW_MIN', minimum: 1000 })
    if (points > caps.perTx) {
      return rejected({ code: 'PER_TX_CAP_EXCEEDED', limit: caps.perTx, requested: points })
    }
    const resetsAt = midnightAfter(awardedAt)
    const over = { code: 'DAILY_CAP_EXCEEDED', requested: points, resetsAt }
    if (BigInt(partnerUsed) + BigInt(points) > BigInt(caps.perPartnerDay)) {
      return rejected({ ...over, cap: 'perPartnerDay', limit: caps.perPartnerDay, used: partnerUsed })
    }
    if (BigInt(userUsed) + BigInt(points) > BigInt(caps.perUserDay)) {
      return rejected({ ...over, cap: 'perUserDay', limit: caps.perUserDay })
    }
    const partnerDayRemaining = caps.perPartnerDay - (partnerUsed + points)
    return { kind: 'credited', epTransactionId: id, points, partnerDayRemaining, dayResetsAt: resetsAt }
  }

  /** Credits an award that `answer` allows; returns how to undo it. */
  credit(ask: Ask, id: string): () => void {
    const { points, caps, awardedAt, partnerUsed, userUsed, userDayAt } = this.#circumstances(ask)
    const entry = { ...ask, id, points, awardedAt, caps, partnerDayTotal: partnerUsed + points }
    const history = this.history(ask)
    const orderAt = `${ask.partnerId} ${ask.orderId}`
    const before = this.userDays.get(userDayAt)
    history.push(entry)
    this.orders.set(orderAt, entry)
    const { tenantId, userEmail } = ask
    this.userDays.set(userDayAt, { tenantId, userEmail, day: dayOf(awardedAt), points: userUsed + points })
    return () => {
      history.pop()
      this.orders.delete(orderAt)
      if (before === undefined) this.userDays.delete(userDayAt)
      else this.userDays.set(userDayAt, before)
    }
  }

  history({ partnerId, tenantId }: { partnerId: string; tenantId: string }): Credit[] {
    const account = `${partnerId} ${tenantId}`
    const history = this.histories.get(account) ?? []
    this.histories.set(account, history)
    return history
  }

  /** The caps in effect: the tenant's override the partner's, and these override the defaults. */
  capsFor({ partnerId, tenantId }: { partnerId: string; tenantId: string }): AllCaps {
    const partner = this.partners.get(partnerId)
    const grant = partner?.grants.get(tenantId)
    return {
      perTx: grant?.perTx ?? partner?.perTx ?? this.defaults.perTx,
      perPartnerDay: grant?.perPartnerDay ?? partner?.perPartnerDay ?? this.defaults.perPartnerDay,
      perUserDay: this.tenants.get(tenantId) ?? this.defaults.perUserDay,
    }
  }

  #circumstances(ask: Ask) {
    const latest = this.history(ask).at(-1)
    const awardedAt = latest !== undefined && latest.awardedAt > this.now ? latest.awardedAt : this.now
    const sameDay = latest !== undefined && dayOf(latest.awardedAt) === dayOf(awardedAt)
    const userDayAt = `${ask.tenantId} ${ask.userEmail} ${dayOf(awardedAt)}`
    return {
      points: (ask.amount - (ask.amount % 1000)) / 1000,
      caps: this.capsFor(ask),
      awardedAt,
      partnerUsed: sameDay ? latest.partnerDayTotal : 0,
      userUsed: this.userDays.get(userDayAt)?.points ?? 0,
      userDayAt,
    }
  }
}

function answerKnown(known: Credit, ask: Ask): Answer {
  const { id, points, awardedAt } = known
  const differs = (['tenantId', 'userEmail', 'amount', 'note'] as const).filter((f) => known[f] !== ask[f])
  const all = canonical(known.meta) === canonical(ask.meta) ? differs : [...differs, 'meta']
  if (all.length === 0) return { kind: 'duplicate', epTransactionId: id, points, awardedAt }
  return rejected({ code: 'ORDER_ID_CONFLICT', differs: all, epTransactionId: id, awardedAt })
}

/** Canonical JSON: members sorted by name, numbers in their shortest form. */
function canonical(meta: string | null): string {
  return JSON.stringify(JSON.parse(meta ?? 'null'), (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

function rejected(rejection: object): Answer {
  return { kind: 'rejected', rejection }
}

export function dayOf(ms: number): number {
  return (ms - firstMidnight - ((ms - firstMidnight) % dayLength)) / dayLength
}

export function midnightAfter(ms: number): number {
  return firstMidnight + (dayOf(ms) + 1) * dayLength
}
