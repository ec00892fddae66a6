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
  at: number
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

/** A request that was signed with this key, and whose X-Timestamp differed by this much from our clock. */
type SignedRequest = {
  by: { keyId: string; partnerId: string }
  at: number
  clockDifferenceMs: number
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
/**
 * What one response adds to the EP of its count: a refusal costs the caller nothing and may name a huge amount, so that a
 * thousand of them would add up to more than any number of ours. Money comes from the ledger.
 */
const pointsMax = 1_000_000_000
/** Refusals that wait for the next batch; more are only counted. */
const refusalsMax = 2_000
/** Responses, and uses of keys, that wait to be added up. */
const waitingMax = 256

/**
 * What the request path adds to: short lists of what it has seen. They are added up when one is full, and before a batch is
 * made. To find the counters of each response at once would cost 2 to 5 µs more: they are not in the processor's caches
 * then, and the code that finds them is not either (docs/internals/performance.md).
 */
export class Collector {
  readonly dropped: Dropped = { responses: 0, refusals: 0 }
  readonly #parts: CollectorParts
  readonly #quota = new RefusalQuota()
  readonly #seen: SeenResponse[] = []
  readonly #signed: SignedRequest[] = []
  #minutes: CountCells[] = []
  #refusals: (Omit<Refusal, 'orderFingerprint'> & { orderId: string | undefined })[] = []
  #keyUses = new Map<string, KeyUse>()
  readonly #replays = new ReplayRecords()

  constructor(parts: CollectorParts) {
    this.#parts = parts
  }

  saw(response: SeenResponse): void {
    if (this.#seen.push(response) === waitingMax) this.#addSeen()
  }

  /** A request for an order that was credited before, beside `saw`. */
  replayed(replay: SeenReplay): void {
    if (this.#parts.keepsRefusals) this.#replays.add(replay)
  }

  keyUsed(request: SignedRequest): void {
    if (this.#signed.push(request) === waitingMax) this.#addSigned()
  }

  /** All of it, and begins again; null if there was nothing. */
  take(key: HmacKey): Pick<JournalBatch, 'counts' | 'refusals' | 'replays' | 'keyUses'> | null {
    this.#addSeen()
    this.#addSigned()
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

  #addSeen(): void {
    for (const response of this.#seen) this.#addResponse(response)
    this.#seen.length = 0
  }

  #addResponse(response: SeenResponse): void {
    const { at, partnerId = unknown, tenantId, endpoint, code, points, refusal } = response
    const { keepsRefusals, tenantExists } = this.#parts
    const cells = this.#cellsAt(at)
    const isKnown = tenantId !== undefined && (cells.has(partnerId, tenantId) || tenantExists(tenantId))
    const tenant = isKnown ? tenantId : unknown
    cells.add(partnerId, tenant, response, Math.min(points, pointsMax))
    if (refusal === null || !keepsRefusals || !this.#quota.admits(partnerId, code, at)) return
    if (this.#refusals.length >= refusalsMax) this.dropped.refusals++
    else {
      const { keyId = null, ...others } = refusal
      this.#refusals.push({ at, partnerId, keyId, tenantId: tenant, endpoint, ...others })
    }
  }

  #addSigned(): void {
    for (const { by, at, clockDifferenceMs } of this.#signed) {
      const { keyId, partnerId } = by
      const use = this.#keyUses.get(keyId)
      if (use === undefined) this.#keyUses.set(keyId, { keyId, partnerId, at, clockDifferenceMs })
      else {
        use.at = at
        if (Math.abs(clockDifferenceMs) < Math.abs(use.clockDifferenceMs))
          use.clockDifferenceMs = clockDifferenceMs
      }
    }
    this.#signed.length = 0
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
