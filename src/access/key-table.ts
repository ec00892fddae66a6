/**
 * Rows by their SHA-256, looked up in the same time whether a hash is there or not: as many steps, and one row at the
 * end, the one wanted or its neighbour in the order of the hashes. A Map would tell which keys exist: only a hit reads
 * a row, and memory that is not in the processor's cache takes longer than the rest of the lookup.
 */
export function createKeyTable<Row extends { hash: Buffer }>(
  rows: readonly [Row, ...Row[]],
): (hash: Buffer) => Row {
  const sorted = rows.toSorted((a, b) => beginning(a.hash) - beginning(b.hash))
  const size = 2 ** Math.ceil(Math.log2(sorted.length))
  const beginnings = new Float64Array(size).fill(Number.POSITIVE_INFINITY)
  beginnings.set(sorted.map(({ hash }) => beginning(hash)))
  return (hash) => {
    const wanted = beginning(hash)
    let at = 0
    for (let step = size / 2; step >= 1; step /= 2) {
      if (beginnings[at + step]! <= wanted) at += step
    }
    return sorted[at]!
  }
}

/** Its first 48 bits as a number. That two of ten thousand keys share them happens in one ledger of five million. */
function beginning(hash: Buffer): number {
  return hash.readUIntBE(0, 6)
}
