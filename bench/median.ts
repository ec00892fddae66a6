export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** For rounds that were run in turn, pair by pair: what slows the whole machine down for a while slows both. */
export function medianRatio<T>(above: T[], below: T[], of: (run: T) => number): number {
  return median(above.map((run, round) => of(run) / of(below[round]!)))
}
