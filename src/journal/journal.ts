import type { Clock } from '../clock.ts'
import type { HmacKey } from '../shortcuts/hmac-key.ts'
import { CountCells } from './count-cells.ts'
import {
  type Endpoint,
  type JournalBatch,
  type JournalWriter,
  type KeyUse,
  type Refusal,
  unknown,
} from './journal-batch.ts'
import { newJournalKey, openJournalKey, orderFingerprint } from './journal-key.ts'
import { RefusalQuota } from './refusal-quota.ts'
import type { ResultCode } from './result-code.ts'

/** A response as the journal sees it. */
type SeenResponse = {
  endpoint: Endpoint
  partnerId: string | undefined
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

type JournalMeasures = { batches: number; droppedResponses: number; droppedRefusals: number }

/** What the request path sees of it. */
export type JournalEntry = {
  saw(response: SeenResponse): void
  /** A request was signed with this key, and its X-Timestamp differed by this much from our clock. */
  keyUsed(key: { keyId: string; partnerId: string }, at: number, clockDifferenceMs: number): void
}

type Journal = JournalEntry & {
  /** Calls back about once a second, with what this process saw since. */
  subscribe(listener: (batch: JournalBatch) => void): void
  measured(): JournalMeasures
  /** Writes what is left, if the store can. */
  close(): Promise<void>
}

type JournalParts = {
  writer: JournalWriter
  masterKey: Uint8Array
  clock: Clock
  /** The name of this process. No other process ever has it. */
  node: string
  /** Whether single refusals are kept, or only counts. */
  keepsRefusals: boolean
  tenantExists(tenantId: string): boolean
  /** Called when writing begins to fail, and when it works again. */
  onChange(error: unknown | null, measures: JournalMeasures): void
}

/** A little less than a second, so that at most a second is lost with the process. */
const writeEveryMs = 900
const minuteMs = 60_000
/** While the store is unavailable, counts of older minutes are dropped. */
const minutesMax = 5
/** Refusals of all partners that wait for the next batch; more are only counted. */
const refusalsMax = 2_000

/**
 * What the service saw. The request path only adds to counters and appends to bounded lists; about once a second they
 * become a batch, which the store writes. One batch is written at a time. One that failed is written again, with the same
 * number, before the next one: what arrives meanwhile is added up, and dropped where it would be too much.
 */
export function createJournal(parts: JournalParts): Journal {
  const { writer, masterKey, clock, node, keepsRefusals, tenantExists, onChange } = parts
  const listeners: ((batch: JournalBatch) => void)[] = []
  const quota = new RefusalQuota()
  const measures: JournalMeasures = { batches: 0, droppedResponses: 0, droppedRefusals: 0 }
  let minutes: CountCells[] = []
  let refusals: (Omit<Refusal, 'orderFingerprint'> & { orderId: string | undefined })[] = []
  let keyUses = new Map<string, KeyUse>()
  let key: HmacKey | null = null
  let unwritten: JournalBatch | null = null
  let writing: Promise<void> | null = null
  let failing = false

  function cellsAt(now: number): CountCells {
    const minute = now - (now % minuteMs)
    const last = minutes.at(-1)
    if (last?.minute === minute) return last
    if (minutes.length === minutesMax) measures.droppedResponses += minutes.shift()!.responses
    const cells = new CountCells(minute)
    minutes.push(cells)
    return cells
  }

  function saw({
    endpoint,
    partnerId = unknown,
    tenantId,
    code,
    detail,
    points,
    refusal,
  }: SeenResponse): void {
    const now = clock.now()
    const cells = cellsAt(now)
    const tenant =
      tenantId !== undefined && (cells.has(partnerId, tenantId) || tenantExists(tenantId))
        ? tenantId
        : unknown
    cells.add(partnerId, tenant, { endpoint, code, detail }, points)
    if (refusal === null || !keepsRefusals || !quota.admits(partnerId, code, now)) return
    if (refusals.length === refusalsMax) measures.droppedRefusals++
    else {
      const { keyId = null, ...others } = refusal
      refusals.push({ at: now, partnerId, keyId, tenantId: tenant, endpoint, ...others })
    }
  }

  function keyUsed(by: { keyId: string; partnerId: string }, at: number, clockDifferenceMs: number): void {
    const use = keyUses.get(by.keyId)
    if (use === undefined) {
      const { keyId, partnerId } = by
      keyUses.set(keyId, { keyId, partnerId, at, clockDifferenceMs })
      return
    }
    use.at = at
    if (Math.abs(clockDifferenceMs) < Math.abs(use.clockDifferenceMs))
      use.clockDifferenceMs = clockDifferenceMs
  }

  function nextBatch(fingerprints: HmacKey): JournalBatch | null {
    if (minutes.length === 0 && keyUses.size === 0) return null
    const batch = {
      node,
      number: ++measures.batches,
      at: clock.now(),
      counts: minutes.flatMap((cells) => cells.read()),
      refusals: refusals.map(({ orderId, ...refusal }) => ({
        ...refusal,
        orderFingerprint: orderId === undefined ? null : orderFingerprint(fingerprints, orderId),
      })),
      keyUses: [...keyUses.values()],
    }
    minutes = []
    refusals = []
    keyUses = new Map()
    for (const listener of listeners) listener(batch)
    return batch
  }

  async function openKey(): Promise<HmacKey> {
    const ours = newJournalKey(masterKey)
    const stored = await writer.storedKey(ours)
    try {
      return openJournalKey(masterKey, stored)
    } catch {
      // Sealed by another master key, or damaged: the fingerprints made with it can never be found again.
      return openJournalKey(masterKey, await writer.storedKey(ours, { replace: true }))
    }
  }

  async function writeNext(): Promise<void> {
    try {
      key ??= await openKey()
      unwritten ??= nextBatch(key)
      if (unwritten !== null) await writer.write(unwritten)
      unwritten = null
      if (failing) onChange(null, measures)
      failing = false
    } catch (error) {
      if (!failing) onChange(error, measures)
      failing = true
    }
  }

  function write(): Promise<void> {
    writing ??= writeNext().finally(() => {
      writing = null
    })
    return writing
  }

  const timer = setInterval(() => void write(), writeEveryMs)
  timer.unref()
  void write() // opens the key

  return {
    saw,
    keyUsed,
    subscribe: (listener) => void listeners.push(listener),
    measured: () => ({ ...measures }),
    async close() {
      clearInterval(timer)
      await write()
      if (!failing) await write() // the first one may have begun before the last response
      await writer.close()
    },
  }
}
