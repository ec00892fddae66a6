/** Of keys in the order of a snapshot's streams. Ids and addresses are ASCII, so theirs is the order of their bytes. */
export function isBefore(a: (string | number)[], b: (string | number)[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index])
  return at !== -1 && a[at]! < b[at]!
}

export async function* rowByRow<T>(chunks: AsyncIterable<T[]>): AsyncGenerator<T, undefined> {
  for await (const chunk of chunks) yield* chunk
}
