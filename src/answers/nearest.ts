/** The name that was most likely meant; null if none is near. */
export function nearest(name: string, names: Iterable<string>): string | null {
  const distanceMax = Math.max(1, Math.floor(name.length / 3))
  let best: { name: string; distance: number } | null = null
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) > distanceMax) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= distanceMax && (best === null || distance < best.distance)) {
      best = { name: candidate, distance }
    }
  }
  return best?.name ?? null
}

/** How many letters have to be inserted, removed, replaced, or exchanged with their neighbor. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let distance = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
      )
      const isExchanged =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isExchanged) distance = Math.min(distance, beforeLast[column - 2]! + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
