import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemClock } from '../clock.ts'
import type { Place } from '../shortcuts/waiting-line.ts'
import { closesConnection } from './closes-connection.ts'
import { limits } from './limits.ts'
import { stopParsing } from './stop-parsing.ts'
import { weightOf } from './request-weight.ts'
import type { Sender } from './turns.ts'

/** A request that has arrived, linked to the next one on its connection. */
export type Arrival = {
  connection: Connection
  request: IncomingMessage
  response: ServerResponse
  next: Arrival | null
}

/** `enter`: one of its requests may have become startable. */
type Listener = { readonly draining: boolean; enter(connection: Connection): void }

const newcomers = Symbol('newcomers')
const strangers = Symbol('strangers')

export const connectionOf = new WeakMap<Duplex, Connection>()

/** Closes the connection after this response. Requests that were started before it are answered first; no later one is started. */
export function closeAfter(response: ServerResponse): void {
  connectionOf.get(response.req.socket)?.closeAfter(response)
}

/** Whoever sent this request has proved who they are: where slots run out, the latest of their connections are closed last. */
export function keepConnectionOf(request: IncomingMessage, knownAs: string): void {
  const connection = connectionOf.get(request.socket)
  if (connection !== undefined) connection.knownAs = knownAs
}

/**
 * The state of one client connection. A request is *waiting*, then *started*; both are *unfinished* until the last byte
 * of the response has been sent. A client may send two thousand requests in one packet, so every operation here takes
 * constant time.
 *
 * The connection is *held* while it has 64 or more unfinished requests: nothing more is read from it. Below 32, reading
 * resumes after a delay of one millisecond per request beyond 64. One read of 64 KiB costs other clients several
 * milliseconds, so this limits a client that pipelines that much to about 1,000 requests a second.
 * It is *closing* once we have decided to close it after the responses in progress; nothing more is started then.
 */
export class Connection implements Sender<Arrival> {
  readonly socket: Socket
  /** Its place in the list of idle connections; null while it has an unfinished request, and after it is closed. */
  idlePlace: Place<Connection> | null = null
  /** The tick at which its latest request came, or at which it became idle. */
  since = 0
  unreadWatched: boolean = false
  /** The partner or operator who proved on it last who they are. */
  knownAs: string | null = null
  /** For so many ticks, no response has been read to its end. Counted while nearly all slots are taken. */
  unreadTicks = 0
  closing: boolean = false
  /** Unfinished requests, those with a large body counted several times. */
  unfinished = 0
  /** Chunks of a few bytes, in the bodies of unfinished requests. */
  smallChunks = 0
  /** Requests received so far. The count identifies the request that is arriving. */
  arrived = 0
  /** What the requests since the last read can have brought: headers, and bodies. */
  bytesExpected = 0
  inRing: boolean = false
  nextInRing: Sender<Arrival> | null = null
  /** Nothing more is read from it, ever. */
  readingEnded: boolean = false
  held: boolean = false
  /** When reading from it was last resumed. */
  readAgainAt = Number.NEGATIVE_INFINITY

  readonly #listener: Listener
  #finished = 0
  #finishedAtTick = 0
  #mostUnfinished = 0
  /** Its last read was full, and it waits for its turn to be read. */
  #resting: boolean = false
  #resuming: NodeJS.Timeout | null = null
  #firstWaiting: Arrival | null = null
  #lastWaiting: Arrival | null = null
  #started = 0
  /** Nothing behind what was taken last will ever be taken: its response is the connection's last. */
  #lastTaken: boolean = false
  #ending: boolean = false
  /** Requests that were started and wait for another turn: see later-turns.ts. */
  #waitingAgain = 0
  /** The one of them whose body is still on the way. */
  #late: IncomingMessage | null = null
  #latestStarted: ServerResponse | null = null
  #latest: ServerResponse | null = null
  #beforeLatest: ServerResponse | null = null
  /** It got its response before its last byte had come. */
  #answeredEarly: IncomingMessage | null = null

  constructor(socket: Socket, listener: Listener) {
    this.socket = socket
    this.#listener = listener
  }

  add(arrival: Arrival): void {
    this.#beforeLatest = this.#latest
    this.#latest = arrival.response
    this.#answeredEarly = null
    this.arrived++
    const weight = weightOf(arrival.request)
    this.unfinished += weight
    this.bytesExpected += limits.headerBytesMax + weight * limits.bodyBytesPerRequest
    if (this.unfinished >= limits.unfinishedPerConnectionMax) {
      this.#mostUnfinished = Math.max(this.#mostUnfinished, this.unfinished)
      if (!this.held) this.#hold()
    }
    if (this.closing) return
    if (this.#lastWaiting === null) this.#firstWaiting = arrival
    else this.#lastWaiting.next = arrival
    this.#lastWaiting = arrival
  }

  /**
   * Awards may run concurrently: their responses are small, and they share a commit. Any other request can have a large
   * response and starts only after all earlier responses were sent, so that a client that does not read costs us the
   * memory of one response.
   */
  mayStart(): boolean {
    if (this.#firstWaiting === null || this.#lastTaken || this.#waitingAgain > 0) return false
    if (this.#started === 0) return true
    const { method } = this.#firstWaiting.request
    const hasCapacity = this.#started < limits.startedPerConnectionMax && !this.socket.writableNeedDrain
    return hasCapacity && method === 'POST'
  }

  get turnsAs(): string | symbol {
    return this.knownAs ?? (this.#finished === 0 ? newcomers : strangers)
  }

  goesAhead(): boolean {
    return this.#firstWaiting!.request.method === 'POST'
  }

  takeNext(): Arrival {
    const arrival = this.#firstWaiting!
    this.#firstWaiting = arrival.next
    if (arrival.next === null) this.#lastWaiting = null
    arrival.next = null
    this.#started++
    this.#lastTaken = this.#listener.draining || closesConnection(arrival.request)
    return arrival
  }

  /** False if an earlier request of the same turn closes the connection. */
  start(response: ServerResponse): boolean {
    if (this.#ending) return false
    this.#latestStarted = response
    if (!response.req.complete) {
      this.#late = response.req
      this.#waitingAgain++
    }
    return true
  }

  /** Whether the body that has come to its end was still on the way when its request was started. */
  receivesLate(request: IncomingMessage): boolean {
    if (this.#late !== request) return false
    this.#late = null
    return true
  }

  waitsAgain(): void {
    this.#waitingAgain++
  }

  /** One of those has had its turn, or needs none any more. */
  goesOn(): void {
    this.#waitingAgain--
    this.#listener.enter(this)
  }

  /** If a response is in progress, it is the last. */
  closeAfterLatest(): void {
    if (this.#latestStarted !== null) this.closeAfter(this.#latestStarted)
  }

  closeAfter(response: ServerResponse): void {
    this.#lastTaken = true
    this.#ending = true
    const last = this.#latestStarted ?? response
    if (!last.headersSent) last.setHeader('connection', 'close')
    else last.once('close', () => this.socket.destroy())
  }

  /** The response was sent, or never will be. On a closed connection, its request may never have been started. */
  finish(response: ServerResponse): void {
    this.unfinished -= weightOf(response.req)
    this.#finished++
    if (this.#started > 0) this.#started--
    if (this.#late === response.req) {
      this.#late = null
      this.#waitingAgain--
    }
    if (this.#latest === response) {
      this.#latest = null
      if (!response.req.complete) this.#answeredEarly = response.req
    }
    if (this.#beforeLatest === response) this.#beforeLatest = null
    if (this.#latestStarted === response) this.#latestStarted = null
    if (this.held && !this.readingEnded && this.unfinished < limits.unfinishedPerConnectionResume)
      this.#resuming ??= setTimeout(
        () => this.#release(),
        (this.#mostUnfinished - limits.unfinishedPerConnectionMax) * limits.heldMsPerRequest,
      ).unref()
  }

  /** The response of the last complete request. Every request before the latest one is complete. */
  latestWhole(): ServerResponse | null {
    if (this.#latest !== null && isWhole(this.#latest)) return this.#latest
    return this.#beforeLatest
  }

  /** Whether what arrives belongs to a request that has its response: it must not get a second one. */
  receivesAnswered(): boolean {
    return this.#answeredEarly?.complete === false
  }

  /** Once per tick. */
  watchReader(): void {
    const isWaiting = this.socket.writableLength > 0 && this.#finished === this.#finishedAtTick
    this.unreadTicks = isWaiting ? this.unreadTicks + 1 : 0
    this.#finishedAtTick = this.#finished
  }

  /** Whether it has nothing but one request that is still being received. */
  onlyReceives(): boolean {
    return this.arrived - this.#finished === 1 && this.isArriving(this.arrived)
  }

  /** Whether the request with this number is still being received. */
  isArriving(number: number): boolean {
    return this.arrived < number || (this.arrived === number && this.#latest?.req.complete === false)
  }

  /** The number of the request that is arriving now, or will be the next to arrive. */
  arrivingNumber(): number {
    return this.isArriving(this.arrived) ? this.arrived : this.arrived + 1
  }

  /** Drops the waiting requests; sends the responses of started ones, if the client reads them. */
  closeAfterStarted(): void {
    this.closing = true
    this.endReading()
    this.forgetWaiting()
    const latest = this.#latestStarted
    // The rest of an incomplete request is no longer read: it never gets a response.
    const response = latest === null || isWhole(latest) ? latest : this.#beforeLatest
    if (this.socket.writableNeedDrain) this.socket.destroy()
    else this.#destroyAfter(response)
  }

  /**
   * One read has brought more requests than we would have read. Large bodies do not make them more, as they do in
   * `unfinished`: what takes the time is their number.
   */
  hasTooMany(): boolean {
    return this.arrived - this.#finished >= limits.unfinishedPerConnectionMax
  }

  /** Answers the requests that were added, and reads nothing more. The one that is arriving must not be added. */
  closeAfterAdded(): void {
    this.endReading()
    this.#destroyAfter(this.#latest)
  }

  #destroyAfter(response: ServerResponse | null): void {
    if (response === null) return void this.socket.destroy()
    if (!response.headersSent) response.setHeader('connection', 'close')
    response.once('close', () => this.socket.destroy())
  }

  /** Nor is anything run of what its last read has brought: it would get no response. */
  endReading(): void {
    stopParsing(this.socket)
    this.readingEnded = true
    if (!this.held) this.#hold()
  }

  forgetWaiting(): void {
    this.#firstWaiting = null
    this.#lastWaiting = null
  }

  #hold(): void {
    this.held = true
    this.#stopReading()
  }

  /** Until `readOn`. False if it is held: then it is read when it is released. */
  restFromReading(): boolean {
    if (this.held) return false
    this.#resting = true
    this.#stopReading()
    return true
  }

  readOn(): void {
    this.#resting = false
    if (!this.held) this.#startReading()
  }

  /** It is not read now, and will be later. */
  waitsToBeRead(): boolean {
    return (this.held || this.#resting) && !this.readingEnded
  }

  /** Node resumes a socket after each request it has read, so we pause it again until we read on. */
  #stopReading(): void {
    this.socket.pause()
    this.socket.off('resume', pause)
    this.socket.on('resume', pause)
  }

  #startReading(): void {
    this.socket.off('resume', pause)
    this.readAgainAt = systemClock.elapsed()
    if (!this.socket.destroyed) this.socket.resume()
  }

  #release(): void {
    this.#resuming = null
    this.#mostUnfinished = 0
    if (this.readingEnded) return
    this.held = false
    this.#startReading()
  }
}

function pause(this: Socket): void {
  this.pause()
}

function isWhole({ req, headersSent }: ServerResponse): boolean {
  return req.complete || headersSent
}
