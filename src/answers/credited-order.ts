import type { AuditRow } from '../rules/audit-hash.ts'
import { emptyAccount, type Entry } from '../rules/entry.ts'
import { entryHash } from '../rules/entry-hash.ts'
import { sumsOfEntry } from '../rules/entry-sums.ts'
import { isoTime, storedDayText } from '../rules/iso-time.ts'
import { isSandbox } from '../rules/tenant-mode.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import { type CapOrigin, capOrigins } from './cap-origins.ts'
import type { LedgerQueries } from './ledger-queries.ts'
import { readModes } from './shown-settings.ts'

/** A cap when the award was decided; `origin` is null if the audit trail does not say where it came from. */
export type CapThen = { limit: number; origin: CapOrigin }
/** A daily cap, and the day's total before and after the award. */
export type DayCapThen = CapThen & { before: number; after: number }

/** An award in the ledger, and everything that decided it. */
export type CreditedOrder = {
  partnerId: string
  tenantId: string
  sandbox: boolean
  orderId: string
  epTransactionId: string
  userEmail: string
  note: string | null
  awardedAt: string
  day: string
  arithmetic: { rawAmount: number; amountPerEp: number; points: number; remainder: number }
  caps: { perTx: CapThen; perPartnerDay: DayCapThen; perUserDay: DayCapThen }
  chain: ChainPlace
}

type ChainPlace = {
  seq: number
  /** How many entries the account has now. */
  length: number
  hash: string
  /** The hash, calculated again from the entry and the one before it. */
  hashMatches: boolean
  /** What follows, the next entry or the head of the account, was calculated from this hash. */
  isLinked: boolean
}

export async function creditedOrder(queries: LedgerQueries, entry: Entry): Promise<CreditedOrder> {
  const { partnerId, tenantId, orderId, epTransactionId, userEmail, note, awardedAt, caps } = entry
  const { rawAmount, amountPerEp, points } = entry
  const mode = (await readModes(queries)).get(tenantId)
  const subjects = [`partner ${partnerId}`, `tenant ${tenantId}`, 'defaults']
  const rows: AuditRow[] = []
  for await (const some of queries.auditRows({ subjects })) rows.push(...some)
  const origins = capOrigins(rows, { tenantId }, { caps, at: awardedAt })
  const totals = (after: number) => ({ before: after - points, after })
  return {
    partnerId,
    tenantId,
    sandbox: mode !== undefined && isSandbox({ mode }),
    orderId,
    epTransactionId,
    userEmail,
    note,
    awardedAt: isoTime(awardedAt, 'entries'),
    day: storedDayText(vietnamDay(awardedAt), 'entries'),
    arithmetic: { rawAmount, amountPerEp, points, remainder: sumsOfEntry(entry).remainder },
    caps: {
      perTx: { limit: caps.perTx, origin: origins.perTx },
      perPartnerDay: {
        limit: caps.perPartnerDay,
        origin: origins.perPartnerDay,
        ...totals(entry.partnerDayTotal),
      },
      perUserDay: { limit: caps.perUserDay, origin: origins.perUserDay, ...totals(entry.userDayTotal) },
    },
    chain: await chainPlace(queries, entry),
  }
}

async function chainPlace(queries: LedgerQueries, entry: Entry): Promise<ChainPlace> {
  const { partnerId, tenantId, seq, hash } = entry
  const at = (place: number) => queries.entryAt({ partnerId, tenantId, seq: place })
  const before = seq === 1 ? emptyAccount.headHash : (await at(seq - 1))?.hash
  // The head first: entries may arrive meanwhile.
  const [head] = await queries.accounts({ partnerId, tenantId })
  const next = head !== undefined && head.seq > seq ? await at(seq + 1) : undefined
  return {
    seq,
    length: head?.seq ?? 0,
    hash: Buffer.from(hash).toString('hex'),
    hashMatches: before !== undefined && isSame(hash, entryHash(entry, before)),
    isLinked:
      next === undefined
        ? head?.seq === seq && isSame(head.headHash, hash)
        : isSame(next.hash, entryHash(next, hash)),
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
