/** Where somebody stands in a line. */
export type Place<T> = { readonly item: T; before: Place<T>; after: Place<T> }

/**
 * A line in the order of arrival, which everybody leaves from where he stands.
 *
 * A Set would do, if it did not live so long: V8 makes its table anew as entries come and go, and what the old tables
 * still point to survives with them. Here whoever has left points to nobody.
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

  /** In their order. Nobody may join or leave meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#end.after; place !== this.#end; place = place.after) yield place.item
  }

  join(item: T): Place<T> {
    const end = this.#end
    const place = { item, before: end.before, after: end }
    end.before.after = place
    end.before = place
    this.#size++
    return place
  }

  /** Once. */
  leave(place: Place<T>): void {
    place.before.after = place.after
    place.after.before = place.before
    place.before = place
    place.after = place
    this.#size--
  }
}
