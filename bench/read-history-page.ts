import { sign } from '../src/access/signature.ts'
import type { PartnerKey } from '../test/chaos/stage.ts'

/** A page as it is served now, and its number of items; '' is the first page. */
export async function readHistoryPage(
  url: string,
  { apiKey, signingSecret }: PartnerKey,
  { tenantId, cursor, limit }: { tenantId: string; cursor: string; limit: number },
): Promise<{ body: string; items: number }> {
  const query = new URLSearchParams({ tenantId, limit: String(limit), ...(cursor === '' ? {} : { cursor }) })
  const timestamp = String(Date.now())
  const response = await fetch(`${url}/v1/ep/webhook/awards?${query}`, {
    headers: {
      'X-Api-Key': apiKey,
      'X-Timestamp': timestamp,
      'X-Signature': sign(signingSecret, timestamp, tenantId),
    },
  })
  const body = await response.text()
  if (response.status !== 200)
    throw new Error(`a page of history was answered with ${response.status} ${body}`)
  return { body, items: JSON.parse(body).items.length }
}
