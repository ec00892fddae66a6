/** Sends requests in order: a connection. */
export type Sender<Item> = {
  /** Those with the same name here take one turn together. */
  readonly turnsAs: string | symbol
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

/**
 * At most this many requests per turn, so that the writer can start while the rest are still being parsed. A request with
 * a large body counts as several: a turn of 32 such would take so long that nobody else is served, nor their connection accepted.
 */
const startedPerTurnMax = 32
/** Of these, this many are reserved for requests other than awards, if there are any. */
const othersPerTurnMin = 8

/**
 * Turn batching: the requests that arrive in one turn of the event loop are started at its end, and each stage of an
 * award runs for all of them before the next stage begins (ledger/next-stage.ts). If every request ran alone from the socket to
 * the ledger, the processor's caches would lose the code of each stage before the next request needs it; in stages an
 * award takes a third less time. When the service is idle, this adds no delay.
 *
 * Scheduling is round robin twice: partners take turns, and the connections of each partner do. A connection with many
 * requests, or a partner with many connections, therefore delays the others by one request only. Newcomers count as one
 * partner, and so do those who have had a response and never proved who they are. Awards have a ring of their own and three
 * quarters of each turn, so that a thousand connections requesting /readyz do not starve them.
 */
export function createTurns<Item>(
  start: (item: Item) => void,
  weightOf: (item: Item) => number = () => 1,
): Turns<Item> {
  const awards = new Ring<Item>()
  const others = new Ring<Item>()

  function enter(sender: Sender<Item>): void {
    if (sender.inRing || !sender.mayStart()) return
    if (awards.isEmpty && others.isEmpty) setImmediate(runTurn)
    put(sender)
  }

  function put(sender: Sender<Item>): void {
    if (sender.goesAhead()) awards.add(sender)
    else others.add(sender)
  }

  function runTurn(): void {
    const taken: Item[] = []
    const weight = take(
      taken,
      awards,
      others.isEmpty ? startedPerTurnMax : startedPerTurnMax - othersPerTurnMin,
    )
    take(taken, others, Math.max(startedPerTurnMax - weight, othersPerTurnMin))
    if (!awards.isEmpty || !others.isEmpty) setImmediate(runTurn)
    for (const item of taken) start(item)
  }

  /** Returns the weight of what it took. */
  function take(taken: Item[], ring: Ring<Item>, weightMax: number): number {
    let weight = 0
    while (!ring.isEmpty && weight < weightMax) {
      const sender = ring.takeFirst()
      if (!sender.mayStart()) continue // its connection was closed in the meantime
      const item = sender.takeNext()
      taken.push(item)
      weight += weightOf(item)
      if (sender.mayStart()) put(sender)
    }
    return weight
  }

  return { enter }
}

/** The senders of each partner, one partner after the other. */
class Ring<Item> {
  readonly #partners = new Queue<Partner<Item>>()
  readonly #byName = new Map<string | symbol, Partner<Item>>()

  get isEmpty(): boolean {
    return this.#partners.first === null
  }

  add(sender: Sender<Item>): void {
    sender.inRing = true
    let partner = this.#byName.get(sender.turnsAs)
    if (partner === undefined) {
      partner = { name: sender.turnsAs, senders: new Queue(), nextInRing: null }
      this.#byName.set(partner.name, partner)
      this.#partners.add(partner)
    }
    partner.senders.add(sender)
  }

  takeFirst(): Sender<Item> {
    const partner = this.#partners.takeFirst()
    const sender = partner.senders.takeFirst()
    if (partner.senders.first === null) this.#byName.delete(partner.name)
    else this.#partners.add(partner)
    sender.inRing = false
    return sender
  }
}

type Partner<Item> = {
  readonly name: string | symbol
  readonly senders: Queue<Sender<Item>>
  nextInRing: Partner<Item> | null
}

/** An intrusive linked queue: adding and taking neither allocates nor shifts. */
class Queue<Member extends { nextInRing: Member | null }> {
  first: Member | null = null
  #last: Member | null = null

  add(member: Member): void {
    if (this.first === null) this.first = member
    else this.#last!.nextInRing = member
    this.#last = member
  }

  takeFirst(): Member {
    const member = this.first!
    this.first = member.nextInRing
    member.nextInRing = null
    return member
  }
}
