import type { MistakeId } from './mistakes.ts'

type OtherTime = { text: string; mistake: MistakeId }

/** Two clock reads in one program are rarely further apart. */
const nearbyMs = 1_000

/**
 * Times that may have been signed where another one was sent. There are thousands, because the digits that differ are
 * unknown, so they are tried last and without other mistakes.
 */
export function otherTimes(timestamp: string): OtherTime[] {
  if (/^\d{10}$/.test(timestamp)) return millisecondsOf(Number(timestamp))
  if (!/^\d{13}$/.test(timestamp)) return []
  const nearby = upTo(nearbyMs).flatMap((offset) => [offset + 1, -offset - 1])
  return [
    ...nearby.map(
      (offset): OtherTime => ({
        text: String(Number(timestamp) + offset),
        mistake: 'clock-read-twice',
      }),
    ),
    ...upTo(1_000).map(
      (digits): OtherTime => ({
        text: `${timestamp}${String(digits).padStart(3, '0')}`,
        mistake: 'timestamp-signed-in-other-form',
      }),
    ),
  ]
}

/** Of this second, and of its neighbors: the seconds may be rounded, or the clock may have been read twice. */
function millisecondsOf(seconds: number): OtherTime[] {
  return [0, 1, -1].flatMap((offset) =>
    upTo(1_000).map(
      (ms): OtherTime => ({
        text: String((seconds + offset) * 1_000 + ms),
        mistake: 'milliseconds-signed',
      }),
    ),
  )
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
