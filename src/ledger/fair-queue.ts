/**
 * A queue in which every key (a partner) has its own line, and the lines are served in turn: a flood in one line
 * delays the others by one place, not by its length. Within a line first come is first served.
 */
export class FairQueue<T> {
  readonly #lines = new Map<string, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(key: string, item: T): void {
    const line = this.#lines.get(key)
    if (line === undefined) this.#lines.set(key, [item])
    else line.push(item)
    this.#size++
  }

  /** Up to `max` items, an equal share of each line as far as it goes. */
  take(max: number): T[] {
    const taken: T[] = []
    while (taken.length < max && this.#lines.size > 0) {
      const share = Math.max(1, Math.floor((max - taken.length) / this.#lines.size))
      for (const [key, line] of [...this.#lines]) {
        if (taken.length === max) break
        taken.push(...line.splice(0, share))
        // Served lines go to the end, so that a batch smaller than the number of lines starts with the others.
        this.#lines.delete(key)
        if (line.length > 0) this.#lines.set(key, line)
      }
    }
    this.#size -= taken.length
    return taken
  }
}
