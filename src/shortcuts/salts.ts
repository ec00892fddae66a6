import { randomFillSync } from 'node:crypto'

const saltBytes = 16
const drawnAtOnce = 256

/** Random bytes for each entry's commitment. Drawn for many at once: a draw costs as much as checking a signature. */
export function createSalts(): () => Uint8Array {
  const drawn = new Uint8Array(saltBytes * drawnAtOnce)
  let at = drawn.length
  return () => {
    if (at === drawn.length) {
      randomFillSync(drawn)
      at = 0
    }
    at += saltBytes
    return drawn.slice(at - saltBytes, at)
  }
}
