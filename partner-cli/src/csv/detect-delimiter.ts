import type { Delimiter } from './csv-row.ts'

const candidates: readonly Delimiter[] = [',', ';', '\t']

/** What the first row that is not blank has most of, outside quotes; null as long as its end has not arrived. */
export function detectDelimiter(bytes: Uint8Array, { isWhole }: { isWhole: boolean }): Delimiter | null {
  const counts = new Map<number, number>(candidates.map((candidate) => [candidate.charCodeAt(0), 0]))
  let isQuoted = false
  let hasBegun = false
  let isWholeRow = isWhole
  for (const byte of bytes) {
    const isLineEnd = byte === 0x0a || byte === 0x0d
    if (isLineEnd && !isQuoted) {
      if (!hasBegun) continue
      isWholeRow = true
      break
    }
    hasBegun = true
    if (byte === 0x22) isQuoted = !isQuoted
    else if (!isQuoted && counts.has(byte)) counts.set(byte, counts.get(byte)! + 1)
  }
  if (!isWholeRow) return null
  return candidates.reduce((best, candidate) => (countOf(candidate) > countOf(best) ? candidate : best))

  function countOf(candidate: Delimiter): number {
    return counts.get(candidate.charCodeAt(0))!
  }
}
