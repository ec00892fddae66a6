/** A growing list of milliseconds. Adding one allocates nothing, except when the list doubles. */
export class Latencies {
  #values = new Float64Array(65_536)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const wider = new Float64Array(2 * this.#count)
      wider.set(this.#values)
      this.#values = wider
    }
    this.#values[this.#count++] = ms
  }

  /** Percentiles, rounded to microseconds. */
  quantiles(...shares: number[]): number[] {
    const sorted = this.#values.slice(0, this.#count).sort()
    const at = (share: number) => Math.min(this.#count - 1, Math.floor(this.#count * share))
    return shares.map((share) => Math.round((sorted[at(share)] ?? 0) * 1000) / 1000)
  }
}
