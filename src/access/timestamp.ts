export type TimestampRefusal = {
  code: 'TIMESTAMP_OUT_OF_RANGE'
  serverTime: number
  skewMs?: number
  hint?: string
}

/** Milliseconds since 1970 in plain digits. */
export const timestampPattern = '^[1-9][0-9]{0,15}$'
const plainDigits = new RegExp(timestampPattern)

/** X-Timestamp against our clock; null if it is a decimal number of milliseconds within the window, inclusive. */
export function timestampRefusal(timestamp: string, now: number, windowMs: number): TimestampRefusal | null {
  if (!plainDigits.test(timestamp)) {
    return {
      code: 'TIMESTAMP_OUT_OF_RANGE',
      serverTime: now,
      hint: 'It must be plain digits: milliseconds since 1970.',
    }
  }
  const skewMs = Number(timestamp) - now
  if (Math.abs(skewMs) <= windowMs) return null
  const refusal = { code: 'TIMESTAMP_OUT_OF_RANGE', serverTime: now, skewMs } as const
  if (timestamp.length === 10)
    return { ...refusal, hint: 'It has 10 digits: seconds were sent, not milliseconds.' }
  return refusal
}
