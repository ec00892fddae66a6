import type { Bytes } from './bytes.ts'
import { type ShownByte, showBytes } from './show-bytes.ts'

/** Only the beginning and the end of a long string are shown. */
export const shownFromStart = 512
export const shownFromEnd = 64

type Excerpt = { start: number; bytes: ShownByte[] }

/** The parts of a string to show, byte by byte; a single part if the string is short. */
export function excerpts(bytes: Bytes): Excerpt[] {
  const shown = showBytes(bytes)
  if (shown.length <= shownFromStart + shownFromEnd) return [{ start: 0, bytes: shown }]
  const tail = shown.length - shownFromEnd
  return [
    { start: 0, bytes: shown.slice(0, shownFromStart) },
    { start: tail, bytes: shown.slice(tail) },
  ]
}

/** The offset of the first difference; null if the strings are equal. */
export function firstDifference(one: Bytes, other: Bytes): number | null {
  const at = one.findIndex((byte, index) => byte !== other[index])
  if (at >= 0) return at
  return one.length === other.length ? null : one.length
}
