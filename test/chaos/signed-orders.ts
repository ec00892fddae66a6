import { sign } from '../../src/access/signature.ts'
import { headerLines, requestText } from '../support/raw-http.ts'
import type { Order } from './history-log.ts'
import type { PartnerKey } from './stage.ts'

/** Requests that were signed in advance: sending one costs almost nothing. */
export type SignedOrders = { count: number; order(index: number): Order; bytes(index: number): Buffer }

const indexDigits = 8
const users = 1000
/** Signatures are used soon after they were made, well within the window of X-Timestamp. */
export function signedOrders(partner: PartnerKey, name: string, count: number): SignedOrders {
  const timestamp = String(Date.now())
  const order = (index: number): Order => ({
    partnerId: partner.partnerId,
    orderId: `${name}-${String(index).padStart(indexDigits, '0')}`,
    tenantId: partner.tenants[0]!,
    userEmail: `user${String(index % users).padStart(indexDigits, '0')}@example.com`,
    amount: 1000,
  })
  const textOf = (index: number): string => {
    const { partnerId, ...award } = order(index)
    const body = JSON.stringify(award)
    const headers = headerLines({
      Host: 'localhost',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      'X-Api-Key': partner.apiKey,
      'X-Timestamp': timestamp,
      'X-Signature': sign(partner.signingSecret, timestamp, body),
    })
    return requestText('POST /v1/ep/webhook HTTP/1.1', headers, body)
  }
  // All have the same length, so they are kept in one buffer.
  const bytesEach = textOf(0).length
  const shelf = Buffer.allocUnsafe(bytesEach * count)
  for (let index = 0; index < count; index++) shelf.write(textOf(index), index * bytesEach, 'latin1')
  return {
    count,
    order,
    bytes: (index) => shelf.subarray(index * bytesEach, (index + 1) * bytesEach),
  }
}
