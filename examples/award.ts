// One award, the same again, and the history, with fetch alone:
//   BASE_URL=https://… API_KEY=pck_… SIGNING_SECRET=pcs_… TENANT_ID=… node award.ts
// Node 22.18 or later runs TypeScript as it is. On Node 20, run: npx tsx award.ts
// The package partner-credit-client does this for you, with retries and typed errors.
import { createHmac } from 'node:crypto'
import { createInterface } from 'node:readline'

/** HMAC-SHA-256 of the timestamp, a dot and the payload, in lowercase hex. */
function sign(signingSecret: string, timestamp: string, payload: string | Uint8Array): string {
  return createHmac('sha256', signingSecret).update(`${timestamp}.`).update(payload).digest('hex')
}

async function request(url: string, payload: string, init: RequestInit = {}): Promise<void> {
  const timestamp = String(Date.now())
  const { API_KEY = '', SIGNING_SECRET = '' } = process.env
  const headers = {
    'Content-Type': 'application/json',
    'X-Api-Key': API_KEY,
    'X-Timestamp': timestamp,
    'X-Signature': sign(SIGNING_SECRET, timestamp, payload),
  }
  const response = await fetch(url, { ...init, headers })
  console.log(response.status, await response.text())
}

async function main(): Promise<void> {
  const url = `${process.env.BASE_URL ?? 'http://127.0.0.1:8080'}/v1/ep/webhook`
  const tenantId = process.env.TENANT_ID ?? 't1'
  // The body is built once: the text that is signed is the text that is sent.
  const body = JSON.stringify({
    tenantId,
    orderId: 'test-1001',
    userEmail: 'ann@example.com',
    amount: 5250,
    note: 'Thank you',
  })
  await request(url, body, { method: 'POST', body })
  // No response, or 503? Send the same order again: it is credited once.
  await request(url, body, { method: 'POST', body })
  // A history request is signed over its tenantId.
  await request(`${url}/awards?tenantId=${tenantId}`, tenantId)
}

/** With --vectors it signs lines of secret, timestamp and base64 payload instead: the test of sign(). */
async function signVectors(): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const [secret = '', timestamp = '', payload = ''] = line.split(' ')
    console.log(sign(secret, timestamp, Buffer.from(payload, 'base64')))
  }
}

// No await out here: older tools compile this file to a module that cannot have one.
const isTest = process.argv[2] === '--vectors'
void (isTest ? signVectors() : main())
