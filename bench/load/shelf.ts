import { createSecretKey, type KeyObject } from 'node:crypto'
import { sign } from '../../src/access/signature.ts'
import type { PartnerKey } from '../../test/chaos/stage.ts'
import { createOrders, orderIdOf } from './orders.ts'
import type { AwardsPlan, HistoryPlan } from './plan.ts'

/** Signed requests in one buffer: sending one costs almost nothing. */
export type Shelf = {
  count: number
  request(index: number): Buffer
  /** How the body of its 202 must end, after the id. */
  creditedEnd(index: number): string
  /** How the body of a replay's 200 must end, after the id. */
  duplicateEnd(index: number): string
  /** The id under which it was credited; '' until then. */
  idOf(index: number): string
  keepId(index: number, id: string): void
}

export const idLength = 36
const requestBytesGuess = 640

export function fillShelf(plan: AwardsPlan | HistoryPlan): Shelf {
  return plan.kind === 'awards' ? awardShelf(plan) : historyShelf(plan)
}

/** Signatures are used soon after they were made, well within the window of X-Timestamp. */
function awardShelf({ partners, orders, count, seed }: AwardsPlan): Shelf {
  const timestamp = String(Date.now())
  const orderAt = createOrders(orders, partners, seed)
  const points = new Uint32Array(count)
  const ends = new Float64Array(count + 1)
  const ids = Buffer.alloc(count * idLength)
  const kept = new Uint8Array(count)
  let memory = Buffer.allocUnsafe(count * requestBytesGuess)
  for (let index = 0; index < count; index++) {
    const { partner, ...award } = orderAt(index)
    const body = JSON.stringify(award)
    const own = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    const text = requestWith('POST /v1/ep/webhook', own, { partner, timestamp, payload: body }, body)
    const start = ends[index]!
    if (start + text.length > memory.length) memory = Buffer.concat([memory, Buffer.alloc(memory.length)])
    ends[index + 1] = start + memory.write(text, start, 'latin1')
    points[index] = award.amount / 1000
  }
  return {
    count,
    request: (index) => memory.subarray(ends[index], ends[index + 1]),
    creditedEnd: (index) =>
      `","status":"COMPLETED","orderId":"${orderIdOf(orders, index)}","points":${points[index]}}`,
    duplicateEnd: (index) => `","status":"COMPLETED","points":${points[index]},"code":"DUPLICATE"}`,
    idOf: (index) =>
      kept[index] === 1 ? ids.toString('latin1', index * idLength, (index + 1) * idLength) : '',
    keepId(index, id) {
      kept[index] = 1
      ids.write(id, index * idLength, 'latin1')
    },
  }
}

function historyShelf({ partner, tenantId, cursor, limit }: HistoryPlan): Shelf {
  const query = new URLSearchParams({ tenantId, limit: String(limit), ...(cursor === '' ? {} : { cursor }) })
  const signature = { partner, timestamp: String(Date.now()), payload: tenantId }
  const request = Buffer.from(requestWith(`GET /v1/ep/webhook/awards?${query}`, '', signature))
  const none = () => ''
  const keepId = () => {}
  return { count: 1, request: () => request, creditedEnd: none, duplicateEnd: none, idOf: none, keepId }
}

type Signature = { partner: PartnerKey; timestamp: string; payload: string }

/** Written out, because hundreds of thousands of them are made. */
function requestWith(target: string, headers: string, signature: Signature, body = ''): string {
  const { partner, timestamp, payload } = signature
  return `${target} HTTP/1.1\r\nHost: localhost\r\n${headers}X-Api-Key: ${partner.apiKey}\r\nX-Timestamp: ${timestamp}\r\nX-Signature: ${sign(keyOf(partner), timestamp, payload)}\r\n\r\n${body}`
}

const keys = new Map<string, KeyObject>()

/** A key that is made once signs much faster than a secret that is read each time. */
function keyOf({ signingSecret }: PartnerKey): KeyObject {
  const known = keys.get(signingSecret)
  if (known !== undefined) return known
  const key = createSecretKey(signingSecret, 'utf8')
  keys.set(signingSecret, key)
  return key
}
