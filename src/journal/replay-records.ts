import type { HmacKey } from '../shortcuts/hmac-key.ts'
import type { ReplayRecord } from './journal-batch.ts'
import { orderFingerprint } from './journal-key.ts'
import { RefusalQuota } from './refusal-quota.ts'

/** A request for an order that was credited before. */
export type SeenReplay = { partnerId: string; keyId: string; orderId: string; at: number }

type Times = Pick<ReplayRecord, 'replays' | 'firstAt' | 'lastAt'>
type OfKey = { partnerId: string; orders: Map<string, Times> }

/** Different orders in one batch. The replays of others are only counted, as left out. */
const ordersMax = 1_000

/**
 * Replays by order and key, one record each however many there were. Those beyond the bound or the quota are counted by
 * partner, so that a reader knows that a number may be too small.
 */
export class ReplayRecords {
  readonly #quota = new RefusalQuota()
  #keys = new Map<string, OfKey>()
  #size = 0
  #leftOut = new Map<string, Times>()

  add({ partnerId, keyId, orderId, at }: SeenReplay): void {
    const ofKey = this.#keys.get(keyId)
    const known = ofKey?.orders.get(orderId)
    if (known !== undefined) count(known, { replays: 1, firstAt: at, lastAt: at })
    else if (this.#size >= ordersMax || !this.#quota.admits(partnerId, 'DUPLICATE', at))
      this.#leaveOut(partnerId, { replays: 1, firstAt: at, lastAt: at })
    else {
      this.#size++
      const times = { replays: 1, firstAt: at, lastAt: at }
      if (ofKey === undefined) this.#keys.set(keyId, { partnerId, orders: new Map([[orderId, times]]) })
      else ofKey.orders.set(orderId, times)
    }
  }

  /** All of them, and begins again. */
  take(key: HmacKey): ReplayRecord[] {
    const records: ReplayRecord[] = []
    for (const [keyId, { partnerId, orders }] of this.#keys)
      for (const [orderId, times] of orders)
        records.push({ orderFingerprint: orderFingerprint(key, orderId), partnerId, keyId, ...times })
    for (const [partnerId, times] of this.#leftOut)
      records.push({ orderFingerprint: null, partnerId, keyId: null, ...times })
    this.#keys = new Map()
    this.#size = 0
    this.#leftOut = new Map()
    return records
  }

  /** These could not be written. */
  drop(records: ReplayRecord[]): void {
    for (const { partnerId, replays, firstAt, lastAt } of records)
      this.#leaveOut(partnerId, { replays, firstAt, lastAt })
  }

  #leaveOut(partnerId: string, times: Times): void {
    const known = this.#leftOut.get(partnerId)
    if (known === undefined) this.#leftOut.set(partnerId, times)
    else count(known, times)
  }
}

function count(known: Times, { replays, firstAt, lastAt }: Times): void {
  known.replays += replays
  known.firstAt = Math.min(known.firstAt, firstAt)
  known.lastAt = Math.max(known.lastAt, lastAt)
}
