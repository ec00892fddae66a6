/** Whoever sends requests, one after the other: a connection. */
export type Sender<Item> = {
  mayStart(): boolean
  /** Of the next request: is it an award? Only while one may start. */
  goesAhead(): boolean
  /** The next request; only while one may start. */
  takeNext(): Item
  /** These two are the ring's own. */
  inRing: boolean
  nextInRing: Sender<Item> | null
}

type Turns<Item> = {
  /** Called whenever one of its requests may have become startable; too often does no harm. */
  enter(sender: Sender<Item>): void
}

/** At most so many requests in a turn, so that the writer can start while the rest are still being read. */
const startedPerTurnMax = 32
/** So many of them are for requests that are no awards, where there are any. */
const othersPerTurnMin = 8

/**
 * Turn batching: the requests that arrive in one turn of the event loop are started together at its end, and the stages
 * of an award are run for all of them, one stage after the other (`nextStage`). Taking each request alone from the
 * socket to the ledger evicts its own code from the processor's caches before the next one needs it; in stages an award
 * takes a third less time. An idle service adds no delay.
 *
 * Senders take turns: each starts one request, then goes to the end of its ring. However many requests a connection has
 * sent, those of the others are behind one of them. Awards have a ring of their own, and three quarters of a turn: a
 * thousand connections that ask for /readyz leave them their time.
 */
export function createTurns<Item>(start: (item: Item) => void): Turns<Item> {
  const awards = new Ring<Item>()
  const others = new Ring<Item>()

  function enter(sender: Sender<Item>): void {
    if (sender.inRing || !sender.mayStart()) return
    if (awards.first === null && others.first === null) setImmediate(runTurn)
    put(sender)
  }

  function put(sender: Sender<Item>): void {
    if (sender.goesAhead()) awards.add(sender)
    else others.add(sender)
  }

  function runTurn(): void {
    const taken: Item[] = []
    take(taken, awards, others.first === null ? startedPerTurnMax : startedPerTurnMax - othersPerTurnMin)
    take(taken, others, startedPerTurnMax)
    if (awards.first !== null || others.first !== null) setImmediate(runTurn)
    for (const item of taken) start(item)
  }

  function take(taken: Item[], ring: Ring<Item>, countMax: number): void {
    while (ring.first !== null && taken.length < countMax) {
      const sender = ring.takeFirst()
      if (!sender.mayStart()) continue // its connection was closed meanwhile
      taken.push(sender.takeNext())
      if (sender.mayStart()) put(sender)
    }
  }

  return { enter }
}

/** A queue of senders, linked through themselves: there is nothing to allocate and nothing to shift. */
class Ring<Item> {
  first: Sender<Item> | null = null
  #last: Sender<Item> | null = null

  add(sender: Sender<Item>): void {
    sender.inRing = true
    if (this.first === null) this.first = sender
    else this.#last!.nextInRing = sender
    this.#last = sender
  }

  takeFirst(): Sender<Item> {
    const sender = this.first!
    this.first = sender.nextInRing
    sender.nextInRing = null
    sender.inRing = false
    return sender
  }
}

/** Awaited between two stages of a request: the other requests of the turn complete the stage before it goes on. */
export const nextStage = Promise.resolve()
