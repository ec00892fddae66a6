/**
 * Replaces: a `Set` in the order of insertion.
 * Buys: joining and leaving take less than a fifth of the time (`npm run shortcuts`), with less garbage to collect.
 * Compared in: src/shortcuts/waiting-line.test.ts
 */

/** The place of an item in a line. */
export type Place<T> = { readonly item: T; before: Place<T>; after: Place<T> }

/**
 * A queue in the order of arrival, which an item can leave from any place.
 *
 * A Set would do, if it were not so long-lived: V8 replaces its table as entries come and go, and what the old tables
 * still point to survives with them. Here, an item that has left points to no other.
 */
export class WaitingLine<T> {
  /** The line is a ring that begins and ends here. */
  readonly #end: Place<T>
  #size = 0

  constructor() {
    this.#end = {} as Place<T>
    this.#end.before = this.#end
    this.#end.after = this.#end
  }

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#end.after.item
  }

  get last(): T | undefined {
    return this.#end.before.item
  }

  /** In their order. Nobody may join or leave meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#end.after; place !== this.#end; place = place.after) yield place.item
  }

  join(item: T): Place<T> {
    return this.#linked({ item, before: this.#end.before, after: this.#end })
  }

  /** Goes to the head of the line. */
  joinFirst(item: T): Place<T> {
    return this.#linked({ item, before: this.#end, after: this.#end.after })
  }

  /** Whoever has left another line, or this one, joins with the same place. */
  rejoin(place: Place<T>): void {
    place.before = this.#end.before
    place.after = this.#end
    this.#linked(place)
  }

  /** Once. */
  leave(place: Place<T>): void {
    place.before.after = place.after
    place.after.before = place.before
    place.before = place
    place.after = place
    this.#size--
  }

  /** Takes away the first one. */
  shift(): T | undefined {
    const place = this.#end.after
    if (place !== this.#end) this.leave(place)
    return place.item
  }

  #linked(place: Place<T>): Place<T> {
    place.before.after = place
    place.after.before = place
    this.#size++
    return place
  }
}
