/** The choice that is meant, if one is at most two letters away. */
export function nearest(word: string, choices: readonly string[]): string | null {
  const [best] = choices
    .map((choice) => ({ choice, distance: distance(word.toLowerCase(), choice.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= 2 ? best.choice : null
}

/** Letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
