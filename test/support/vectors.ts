import { readFileSync } from 'node:fs'

/** What the contract promises to every implementation, read by the tests of the service and of the SDK. */
function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../contract/vectors/${name}.json`, import.meta.url), 'utf8'))
}

export const signatureVectors = vectors<{
  name: string
  endpoint: 'award' | 'history'
  signingSecret: string
  timestamp: string
  /** As text; absent if the bytes are not text. */
  payload?: string
  payloadBase64: string
  times: number
  payloadBytes: number
  payloadSha256: string
  signature: string
}>('signatures').map((vector) => ({ ...vector, bytes: bytesOf(vector) }))

export const dayVectors = vectors<{
  name: string
  moment: string
  ms: number
  vietnamDay: string
  resetsAt: string
}>('vietnam-days')

export const errorVectors = vectors<{
  name: string
  status: number
  /** May the same request be retried as it is? */
  retryable: boolean
  headers: Record<string, string>
  body: { code: string; status: number; detail: string; requestId: string; [member: string]: unknown }
}>('errors')

function bytesOf({ payloadBase64, times }: { payloadBase64: string; times: number }): Uint8Array {
  const once = Buffer.from(payloadBase64, 'base64')
  return Uint8Array.from(Buffer.concat(Array.from({ length: times }, () => once)))
}
