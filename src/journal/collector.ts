import type { Clock } from '../clock.ts'
import type { HmacKey } from '../shortcuts/hmac-key.ts'
import { CountCells } from './count-cells.ts'
import { type Endpoint, type JournalBatch, type KeyUse, type Refusal, unknown } from './journal-batch.ts'
import { orderFingerprint } from './journal-key.ts'
import { RefusalQuota } from './refusal-quota.ts'
import { ReplayRecords, type SeenReplay } from './replay-records.ts'
import type { ResultCode } from './result-code.ts'

/** A response as the journal sees it. */
type SeenResponse = {
  endpoint: Endpoint
  /** Undefined: the key is nobody's. */
  partnerId: string | undefined
  /** As the caller wrote it. Undefined: it was not read. */
  tenantId: string | undefined
  code: ResultCode
  detail: string
  points: number
  /** Null: the request was carried out. */
  refusal: SeenRefusal | null
}

export type SeenRefusal = Pick<Refusal, 'code' | 'cap' | 'limit' | 'requested' | 'used' | 'requestId'> & {
  keyId: string | undefined
  orderId: string | undefined
}

export type CollectorParts = {
  clock: Clock
  /** Whether single refusals, and replays by order, are kept, or only counts. */
  keepsRefusals: boolean
  tenantExists(tenantId: string): boolean
}

/** What could not be kept, since the start. */
export type Dropped = { responses: number; refusals: number }

const minuteMs = 60_000
/** While nothing can be written, the counts of older minutes are dropped. */
export const minutesMax = 5
/** Refusals that wait for the next batch; more are only counted. */
const refusalsMax = 2_000

/**
 * What the request path adds to: counters and bounded lists. Nothing here waits or computes; that is for `take`, about once
 * a second.
 */
export class Collector {
  readonly dropped: Dropped = { responses: 0, refusals: 0 }
  readonly #parts: CollectorParts
  readonly #quota = new RefusalQuota()
  #minutes: CountCells[] = []
  #refusals: (Omit<Refusal, 'orderFingerprint'> & { orderId: string | undefined })[] = []
  #keyUses = new Map<string, KeyUse>()
  readonly #replays = new ReplayRecords()

  constructor(parts: CollectorParts) {
    this.#parts = parts
  }

  saw({ endpoint, partnerId = unknown, tenantId, code, detail, points, refusal }: SeenResponse): void {
    const { clock, keepsRefusals, tenantExists } = this.#parts
    const now = clock.now()
    const cells = this.#cellsAt(now)
    const isKnown = tenantId !== undefined && (cells.has(partnerId, tenantId) || tenantExists(tenantId))
    const tenant = isKnown ? tenantId : unknown
    cells.add(partnerId, tenant, { endpoint, code, detail }, points)
    if (refusal === null || !keepsRefusals || !this.#quota.admits(partnerId, code, now)) return
    if (this.#refusals.length >= refusalsMax) this.dropped.refusals++
    else {
      const { keyId = null, ...others } = refusal
      this.#refusals.push({ at: now, partnerId, keyId, tenantId: tenant, endpoint, ...others })
    }
  }

  /** A request for an order that was credited before, beside `saw`. */
  replayed(replay: SeenReplay): void {
    if (this.#parts.keepsRefusals) this.#replays.add(replay)
  }

  /** A request was signed with this key, and its X-Timestamp differed by this much from our clock. */
  keyUsed(by: { keyId: string; partnerId: string }, at: number, clockDifferenceMs: number): void {
    const use = this.#keyUses.get(by.keyId)
    if (use === undefined) {
      const { keyId, partnerId } = by
      this.#keyUses.set(keyId, { keyId, partnerId, at, clockDifferenceMs })
      return
    }
    use.at = at
    if (Math.abs(clockDifferenceMs) < Math.abs(use.clockDifferenceMs))
      use.clockDifferenceMs = clockDifferenceMs
  }

  /** All of it, and begins again; null if there was nothing. */
  take(key: HmacKey): Pick<JournalBatch, 'counts' | 'refusals' | 'replays' | 'keyUses'> | null {
    if (this.#minutes.length === 0 && this.#keyUses.size === 0) return null
    const taken = {
      counts: this.#minutes.flatMap((cells) => cells.read()),
      refusals: this.#refusals.map(({ orderId, ...refusal }) => ({
        ...refusal,
        orderFingerprint: orderId === undefined ? null : orderFingerprint(key, orderId),
      })),
      replays: this.#replays.take(key),
      keyUses: [...this.#keyUses.values()],
    }
    this.#minutes = []
    this.#refusals = []
    this.#keyUses = new Map()
    return taken
  }

  /** A batch could not be written. */
  drop({ counts, refusals, replays }: JournalBatch): void {
    this.dropped.responses += counts.reduce((sum, { responses }) => sum + responses, 0)
    this.dropped.refusals += refusals.length
    this.#replays.drop(replays)
  }

  #cellsAt(now: number): CountCells {
    const minute = now - (now % minuteMs)
    const known = this.#minutes.findLast((cells) => cells.minute === minute)
    if (known !== undefined) return known
    if (this.#minutes.length === minutesMax) this.dropped.responses += this.#minutes.shift()!.responses
    const cells = new CountCells(minute)
    this.#minutes.push(cells)
    return cells
  }
}
