type KeyTable<Row> = {
  rowOf(hash: Buffer): Row
  /** The table with some rows replaced, in one pass and without sorting. */
  replaced(removed: ReadonlySet<Row>, added: readonly Row[]): KeyTable<Row>
}

/**
 * Rows by their SHA-256. A lookup takes the same time whether a hash exists or not: a fixed number of steps, then one row,
 * the wanted one or its neighbor in the order of hashes. The timing of a Map would disclose which keys exist: only a hit
 * reads a row, and a row that is not in the processor's cache takes longer than the rest of the lookup.
 */
export function createKeyTable<Row extends { hash: Buffer }>(rows: readonly [Row, ...Row[]]): KeyTable<Row> {
  return tableOf(inOrder(rows))
}

function tableOf<Row extends { hash: Buffer }>(sorted: Row[]): KeyTable<Row> {
  const size = 2 ** Math.ceil(Math.log2(sorted.length))
  const beginnings = new Float64Array(size).fill(Number.POSITIVE_INFINITY)
  for (let at = 0; at < sorted.length; at++) beginnings[at] = beginning(sorted[at]!.hash)
  return {
    rowOf(hash) {
      const wanted = beginning(hash)
      let at = 0
      for (let step = size / 2; step >= 1; step /= 2) {
        if (beginnings[at + step]! <= wanted) at += step
      }
      return sorted[at]!
    },
    replaced(removed, added) {
      const fresh = inOrder(added)
      const merged: Row[] = []
      let next = 0
      for (let at = 0; at < sorted.length; at++) {
        while (next < fresh.length && beginning(fresh[next]!.hash) < beginnings[at]!)
          merged.push(fresh[next++]!)
        if (!removed.has(sorted[at]!)) merged.push(sorted[at]!)
      }
      while (next < fresh.length) merged.push(fresh[next++]!)
      return tableOf(merged)
    },
  }
}

function inOrder<Row extends { hash: Buffer }>(rows: readonly Row[]): Row[] {
  const placed = rows.map((row) => ({ at: beginning(row.hash), row }))
  return placed.sort((a, b) => a.at - b.at).map(({ row }) => row)
}

/** Its first 48 bits as a number. Among ten thousand keys, two share them with a probability of one in five million. */
function beginning(hash: Buffer): number {
  return hash.readUIntBE(0, 6)
}
