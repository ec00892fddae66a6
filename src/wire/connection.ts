import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemClock } from '../clock.ts'
import type { Place } from '../ledger/waiting-line.ts'
import { limits } from './limits.ts'
import type { Sender } from './turns.ts'

/** A request that has arrived, and those behind it on its connection. */
export type Arrival = {
  connection: Connection
  request: IncomingMessage
  response: ServerResponse
  next: Arrival | null
}

export const connectionOf = new WeakMap<Duplex, Connection>()

/** Closes the connection after this response: nothing behind it is started, and what has been started is answered first. */
export function closeAfter(response: ServerResponse): void {
  connectionOf.get(response.req.socket)?.closeAfter(response)
}

/**
 * What one client makes us hold. A request is *waiting*, then *started*; both are *unfinished* until the last byte of
 * the response has left for the client. Nothing here is a list that is searched or cut: a client may send two thousand
 * requests in one packet.
 *
 * The connection is *held* from 64 unfinished requests on: nothing more is read from it. When there are fewer than 32, it
 * is read again, after a millisecond for each request that it had beyond 64: one read of 64 KiB costs the others some
 * milliseconds, and whoever pipelines so many gets 1,000 requests a second, not all that we can do.
 * It is *closing* once we have decided to close it after what it is being answered; nothing more is started then.
 */
export class Connection implements Sender<Arrival> {
  readonly socket: Socket
  /** Among those without an unfinished request; null: it has one, or it is gone. */
  idlePlace: Place<Connection> | null = null
  idleSince = 0
  unreadWatched: boolean = false
  closing: boolean = false
  unfinished = 0
  /** How many requests it has ever sent: tells the one that is arriving from the next. */
  arrived = 0
  inRing: boolean = false
  nextInRing: Sender<Arrival> | null = null
  /** Nothing more will ever be read from it. */
  readingEnded: boolean = false
  held: boolean = false
  heldUntil = Number.NEGATIVE_INFINITY

  readonly #listener: { readonly draining: boolean }
  #mostUnfinished = 0
  #resuming: NodeJS.Timeout | null = null
  #firstWaiting: Arrival | null = null
  #lastWaiting: Arrival | null = null
  #started = 0
  /** Nothing behind what was taken last will ever be taken: its response is the connection's last. */
  #lastTaken: boolean = false
  #ending: boolean = false
  #latestStarted: ServerResponse | null = null
  #latest: ServerResponse | null = null
  #beforeLatest: ServerResponse | null = null

  constructor(socket: Socket, listener: { readonly draining: boolean }) {
    this.socket = socket
    this.#listener = listener
  }

  add(arrival: Arrival): void {
    this.#beforeLatest = this.#latest
    this.#latest = arrival.response
    this.arrived++
    this.unfinished++
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
   * Awards may start side by side: their responses are small, and they share a commit. Everything else can have a large
   * response, and starts when all before it have left: whoever does not read makes us hold one of them.
   */
  mayStart(): boolean {
    if (this.#firstWaiting === null || this.#lastTaken) return false
    if (this.#started === 0) return true
    const { method } = this.#firstWaiting.request
    const room = this.#started < limits.startedPerConnectionMax && !this.socket.writableNeedDrain
    return room && method === 'POST'
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

  /** Not behind a request of the same turn whose response closes the connection. */
  start(response: ServerResponse): boolean {
    if (this.#ending) return false
    this.#latestStarted = response
    return true
  }

  closeAfter(response: ServerResponse): void {
    this.#lastTaken = true
    this.#ending = true
    const last = this.#latestStarted ?? response
    if (!last.headersSent) last.setHeader('connection', 'close')
    else last.once('close', () => this.socket.destroy())
  }

  /** The response has left, or never will. On a connection that is gone it may be one that was never started. */
  finish(response: ServerResponse): void {
    this.unfinished--
    if (this.#started > 0) this.#started--
    if (this.#latest === response) this.#latest = null
    if (this.#beforeLatest === response) this.#beforeLatest = null
    if (this.#latestStarted === response) this.#latestStarted = null
    if (this.held && !this.readingEnded && this.unfinished < limits.unfinishedPerConnectionResume)
      this.#resuming ??= setTimeout(
        () => this.#release(),
        (this.#mostUnfinished - limits.unfinishedPerConnectionMax) * limits.heldMsPerRequest,
      ).unref()
  }

  /** The last request that has arrived whole and is not answered yet: all before the latest have. */
  latestWhole(): ServerResponse | null {
    if (this.#latest !== null && isWhole(this.#latest)) return this.#latest
    return this.#beforeLatest
  }

  /** Is the request with this number still on its way to us? */
  isArriving(number: number): boolean {
    return this.arrived < number || (this.arrived === number && this.#latest?.req.complete === false)
  }

  /** The number of the request that is arriving now, or will be the next to arrive. */
  arrivingNumber(): number {
    return this.isArriving(this.arrived) ? this.arrived : this.arrived + 1
  }

  /** What has not been started never will be; what has been is answered, if the client reads. */
  closeAfterStarted(): void {
    this.closing = true
    this.endReading()
    this.forgetWaiting()
    const response = this.#latestStarted
    if (response === null || this.socket.writableNeedDrain) return void this.socket.destroy()
    if (!response.headersSent) response.setHeader('connection', 'close')
    response.once('close', () => this.socket.destroy())
  }

  endReading(): void {
    this.readingEnded = true
    if (!this.held) this.#hold()
  }

  forgetWaiting(): void {
    this.#firstWaiting = null
    this.#lastWaiting = null
  }

  /** Node resumes a socket at the end of every request that it has read: it is paused again, until we are below. */
  #hold(): void {
    this.held = true
    this.socket.pause()
    this.socket.on('resume', pause)
  }

  #release(): void {
    this.#resuming = null
    this.#mostUnfinished = 0
    if (this.readingEnded) return
    this.held = false
    this.heldUntil = systemClock.elapsed()
    this.socket.off('resume', pause)
    if (!this.socket.destroyed) this.socket.resume()
  }
}

/**
 * Node drops what was sent right behind a request that asks for an upgrade, and HTTP/1.0 cannot say where a message ends
 * if a proxy in between does not know keep-alive: both are the last on their connection.
 */
export function closesConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || httpVersion !== '1.1'
}

function pause(this: Socket): void {
  this.pause()
}

function isWhole({ req, headersSent }: ServerResponse): boolean {
  return req.complete || headersSent
}
