import { type SigningKey, signedHeaders } from '../signed-headers.ts'
import type { Award } from './past.ts'

type Answer = { status: number; code: string | undefined; points: number }

/** Sends a signed award as a partner does. */
export async function sendAward(
  url: string,
  key: SigningKey,
  award: Award,
  timestamp: number,
): Promise<Answer> {
  const body = JSON.stringify(award)
  const response = await fetch(`${url}/v1/ep/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...signedHeaders(key, String(timestamp), body) },
    body,
  })
  const { code, points = 0 } = (await response.json()) as { code?: string; points?: number }
  return { status: response.status, code, points }
}
