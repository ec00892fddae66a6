import { sign } from '../../src/access/signature.ts'
import type { Clock } from '../../src/clock.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test says itself, by its assertions, what the body must be
export type Answer = { status: number; headers: Headers; body: any; text: string }

export type AwardFields = {
  tenantId?: unknown
  orderId?: unknown
  userEmail?: unknown
  amount?: unknown
  note?: unknown
  meta?: unknown
  [other: string]: unknown
}

export type Client = {
  apiKey: string
  signingSecret: string
  /** The three headers over a payload, signed now unless a timestamp is given. */
  headers(payload: string | Uint8Array, timestamp?: string): Record<string, string>
  /** A valid award with the given fields changed (undefined leaves one out). */
  award(fields?: AwardFields, headers?: Record<string, string>): Promise<Answer>
  /** Any bytes as an award's body, correctly signed over those bytes. */
  awardBytes(body: string | Uint8Array, headers?: Record<string, string>): Promise<Answer>
  /** A history request; the query is sent as it is, the tenantId is signed. */
  history(tenantId: string, query?: string, headers?: Record<string, string>): Promise<Answer>
}

let orders = 0

export function anAwardBody(fields: AwardFields = {}): AwardFields {
  orders++
  return {
    tenantId: 't1',
    orderId: `order-${orders}`,
    userEmail: `user${orders}@example.com`,
    amount: 5000,
    ...fields,
  }
}

/** With several URLs, every request goes to the next one. */
export function createClient(
  urls: string | string[],
  { apiKey, signingSecret }: { apiKey: string; signingSecret: string },
  clock: Pick<Clock, 'now'>,
): Client {
  const nodes = [urls].flat()
  let requests = 0
  const nextUrl = () => nodes[requests++ % nodes.length]
  const headersFor = (payload: string | Uint8Array, timestamp = String(clock.now())) => ({
    'X-Api-Key': apiKey,
    'X-Timestamp': timestamp,
    'X-Signature': sign(signingSecret, timestamp, payload),
  })
  const client: Client = {
    apiKey,
    signingSecret,
    headers: headersFor,
    award: (fields, headers) => client.awardBytes(JSON.stringify(anAwardBody(fields)), headers),
    awardBytes: (body, headers = {}) =>
      send(`${nextUrl()}/v1/ep/webhook`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headersFor(body), ...headers },
        body: body as string,
      }),
    history: (tenantId, query = '', headers = {}) =>
      send(`${nextUrl()}/v1/ep/webhook/awards?tenantId=${encodeURIComponent(tenantId)}${query}`, {
        headers: { ...headersFor(tenantId), ...headers },
      }),
  }
  return client
}

export async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  const isJson = init.method !== 'HEAD' && (response.headers.get('content-type')?.includes('json') ?? false)
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}
