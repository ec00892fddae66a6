/** Integers from `min` to `max`, the same with the same seed: a demo that shows other orders at each start confuses. */
export type Draw = (min: number, max: number) => number

export function drawsFrom(seed: number): Draw {
  let state = seed
  return (min, max) => {
    // A Weyl sequence through a mixing function (mulberry32).
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return min + (((mixed ^ (mixed >>> 14)) >>> 0) % (max - min + 1))
  }
}
