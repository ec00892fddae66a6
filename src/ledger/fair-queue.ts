import { type Place, WaitingLine } from '../shortcuts/waiting-line.ts'

/** The items of one key, and the line's own place among the lines. */
type Line<T> = { key: string; items: WaitingLine<T>; turn: Place<Line<T>> | null }

/**
 * A queue in which every key (a partner) has its own line, and the lines are served in turn: a flood in one line
 * delays the others by one place, not by its length. Within a line first come is first served. What is taken costs as
 * much as it is long, however many lines there are.
 */
export class FairQueue<T> {
  readonly #lines = new Map<string, Line<T>>()
  /** The lines in the order in which they are served. */
  readonly #turns = new WaitingLine<Line<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(key: string, item: T): Place<T> {
    this.#size++
    return this.#lineOf(key).items.join(item)
  }

  /** At the head of its line: it had been taken before. */
  putBack(key: string, item: T): Place<T> {
    this.#size++
    return this.#lineOf(key).items.joinFirst(item)
  }

  /** Removes one from its place in the line. */
  remove(key: string, place: Place<T>): void {
    const line = this.#lines.get(key)!
    line.items.leave(place)
    this.#size--
    if (line.items.size === 0) {
      this.#turns.leave(line.turn!)
      this.#lines.delete(key)
    }
  }

  /** The first of those that are taken next. */
  get first(): T | undefined {
    return this.#turns.first?.items.first
  }

  /** Items of this weight, an equal share of each line as far as it goes. The last one of a share may weigh more. */
  take(max: number, weightOf: (item: T) => number = () => 1): T[] {
    const taken: T[] = []
    let weight = 0
    while (weight < max && this.#turns.size > 0) {
      const lines = this.#turns.size
      const share = Math.max(1, Math.floor((max - weight) / lines))
      for (let served = 0; served < lines && weight < max; served++) {
        const line = this.#turns.first!
        const enough = Math.min(max, weight + share)
        while (weight < enough && line.items.size > 0) {
          const item = line.items.shift()!
          taken.push(item)
          weight += weightOf(item)
        }
        // A served line goes to the end, so that a batch smaller than the number of lines starts with the others.
        this.#turns.leave(line.turn!)
        if (line.items.size > 0) this.#turns.rejoin(line.turn!)
        else this.#lines.delete(line.key)
      }
    }
    this.#size -= taken.length
    return taken
  }

  #lineOf(key: string): Line<T> {
    const known = this.#lines.get(key)
    if (known !== undefined) return known
    const line: Line<T> = { key, items: new WaitingLine(), turn: null }
    line.turn = this.#turns.join(line)
    this.#lines.set(key, line)
    return line
  }
}
