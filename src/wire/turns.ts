/** Sends requests in order: a connection. */
export type Sender<Item> = {
  mayStart(): boolean
  /** Whether the next request is an award, which has priority. Call it only while `mayStart`. */
  goesAhead(): boolean
  /** Removes and returns the next request. Call it only while `mayStart`. */
  takeNext(): Item
  /** Owned by the ring. */
  inRing: boolean
  nextInRing: Sender<Item> | null
}

type Turns<Item> = {
  /** Call it whenever one of the sender's requests may have become startable; extra calls are harmless. */
  enter(sender: Sender<Item>): void
}

/** At most this many requests per turn, so that the writer can start while the rest are still being parsed. */
const startedPerTurnMax = 32
/** Of these, this many are reserved for requests other than awards, if there are any. */
const othersPerTurnMin = 8

/**
 * Turn batching: the requests that arrive in one turn of the event loop are started at its end, and each stage of an
 * award runs for all of them before the next stage begins (ledger/next-stage.ts). If every request ran alone from the socket to
 * the ledger, the processor's caches would lose the code of each stage before the next request needs it; in stages an
 * award takes a third less time. When the service is idle, this adds no delay.
 *
 * Scheduling is round robin: each sender starts one request, then moves to the end of its ring. A connection with many
 * requests therefore delays the others by one request only. Awards have a ring of their own and three quarters of each
 * turn, so that a thousand connections requesting /readyz do not starve them.
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
      if (!sender.mayStart()) continue // its connection was closed in the meantime
      taken.push(sender.takeNext())
      if (sender.mayStart()) put(sender)
    }
  }

  return { enter }
}

/** An intrusive linked queue of senders: adding and taking neither allocates nor shifts. */
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
