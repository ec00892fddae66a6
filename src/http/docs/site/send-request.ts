import { systemClock } from '../../../clock.ts'
import type { SignedRequest } from './signed-request.ts'

export type ReceivedResponse = {
  status: number
  statusText: string
  latencyMs: number
  headers: [name: string, value: string][]
  text: string
  /** The members of the body if it is a JSON object, otherwise empty. */
  members: Record<string, unknown>
}

const timeoutMs = 30_000

/** Sends the request to the service that served the page, without cookies or other credentials. */
export async function sendRequest({
  method,
  target,
  headers,
  body,
}: SignedRequest): Promise<ReceivedResponse> {
  const start = systemClock.elapsed()
  const response = await fetch(target, {
    method,
    headers,
    body,
    mode: 'same-origin',
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  return {
    status: response.status,
    statusText: response.statusText,
    latencyMs: Math.round(systemClock.elapsed() - start),
    headers: [...response.headers],
    text,
    members: membersOf(text),
  }
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
