import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WaitingLine } from '../shortcuts/waiting-line.ts'
import type { AddressLimit } from './address-limit.ts'
import { tooManyChunks } from './broken-request.ts'
import { type Arrival, Connection, connectionOf } from './connection.ts'
import { type Candidate, rankGivingWay, type Slowness, stillGivesWay } from './giving-way.ts'
import { limits } from './limits.ts'
import { createReadingTurns } from './reading-turns.ts'
import { watchReads } from './reads.ts'
import type { Refusals } from './refusals.ts'
import { weightAtStart, weightOf } from './request-weight.ts'
import { createTurns } from './turns.ts'

type Connections = {
  /** The number of unfinished requests over all connections, those with a large body counted several times. */
  unfinished(): number
  /** From now on every response says `connection: close`, and no further request of its connection is started. */
  drain(): void
  /** Including those that Node no longer tracks after a CONNECT. */
  destroyAll(): void
}

/** The unit of idle time. */
const tickMs = 125
/** Clients that do not read are looked for once a second. */
const ticksPerSecond = 1_000 / tickMs
/** When few slots are left, connections that have been idle for so many ticks are closed; and when nearly none is left. */
const ticksWhenCrowded = limits.keepAliveCrowdedMs / tickMs
const ticksWhenFull = limits.keepAliveFullMs / tickMs
/** Of those that have sent no request yet. The first tick may come at once: a newcomer has a quarter of a second. */
const ticksForStrangers = 3

/**
 * Tracks all connections of a listener, bounds the memory they use, and starts their requests in turns.
 *
 * Unfinished responses are counted per connection instead of kept in one Set. V8 rebuilds such a table as entries come
 * and go, and the old tables keep their entries alive; copying those took a tenth of an award's time.
 */
export function watchConnections(
  server: Server,
  start: (request: IncomingMessage, response: ServerResponse) => void,
  { addressLimit, refusals }: { addressLimit: AddressLimit; refusals: Refusals },
): Connections {
  const open = new WaitingLine<Connection>()
  /** Idle between requests, and before the first one. Ordered by idle time, the longest first. */
  const idle = new WaitingLine<Connection>()
  const strangers = new WaitingLine<Connection>()
  /** As found at the last tick, if few slots were left then. */
  let givingWay: Candidate[] = []
  const closing = new WaitingLine<Connection>()
  const turns = createTurns(startArrival, ({ request }) => weightAtStart(request))
  const readingTurns = createReadingTurns()
  const listener = { draining: false, enter: turns.enter }
  let unfinished = 0
  let unfinishedClosing = 0
  /** Requests of this second, those of lost connections included: reading them took as long. */
  let beyondMax = 0
  /** Bytes of this second that have become no request. */
  let wasted = 0
  let ticks = 0

  function startArrival({ connection, request, response }: Arrival): void {
    if (connection.start(response)) start(request, response)
  }

  function onConnection(socket: Socket): void {
    const address = socket.remoteAddress
    const place = addressLimit.enter(address)
    if (place === null) {
      refusals.count('addressFull', address)
      return void socket.resetAndDestroy()
    }
    const connection = new Connection(socket, listener)
    connectionOf.set(socket, connection)
    watchReads(connection, {
      onFull() {
        if (connection.restFromReading()) readingTurns.enter(connection)
      },
      onWasted: (bytes) => onWasted(connection, bytes),
    })
    const openPlace = open.join(connection)
    becomeIdle(connection)
    makeRoom()
    let framesMax = 0
    // Node makes an error for each unfinished request of a lost connection. With stacks, they took half of the time of a flood.
    socket.prependOnceListener('close', () => {
      framesMax = Error.stackTraceLimit
      Error.stackTraceLimit = 0
    })
    socket.once('close', () => {
      Error.stackTraceLimit = framesMax
      place.leave()
      open.leave(openPlace)
      becomeBusy(connection)
      connection.forgetWaiting()
      // Node emits `close` for responses that are lost with their connection, but not after a CONNECT.
      unfinished -= connection.unfinished
      if (connection.closing) unfinishedClosing -= connection.unfinished
      connection.unfinished = 0
    })
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf.get(request.socket)!
    becomeBusy(connection)
    connection.since = ticks
    if (request.headers['transfer-encoding'] !== undefined) limitChunks(connection, request, response)
    if (connection.hasTooMany() && ++beyondMax > limits.beyondMaxPerSecond) {
      refusals.count('floodClosed', connection.socket.remoteAddress)
      return void connection.closeAfterAdded()
    }
    const weight = weightOf(request)
    unfinished += weight
    if (connection.closing) unfinishedClosing += weight
    connection.add({ connection, request, response, next: null })
    response.on('close', onClosed) // it comes once; `once` would make two functions for each response
    turns.enter(connection)
    if (unfinished - unfinishedClosing > limits.unfinishedMax) closeMostUnfinished()
  }

  function onWasted({ socket, readingEnded }: Connection, bytes: number): void {
    wasted += bytes
    if (wasted > limits.wastedBytesPerSecond && !readingEnded)
      server.emit('clientError', new Error('too many bytes that are not a request'), socket)
  }

  /** Counts while Node reads: one read brings ten thousand chunks, before anybody waits for the body. */
  function limitChunks(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { push } = request
    let chunks = 0
    let small = 0
    let refused = false
    let finished = false
    response.on('close', () => {
      finished = true // Node keeps nothing of a body that comes later
      connection.smallChunks -= small
    })
    request.push = (chunk) => {
      if (refused) return true // nothing of it is kept, and it never ends
      if (chunk !== null) chunks++
      if (chunk?.length < limits.smallChunkBytes && !finished) {
        small++
        connection.smallChunks++
      }
      if (chunks <= limits.bodyChunksMax && connection.smallChunks <= limits.smallChunksMax)
        return push.call(request, chunk)
      refused = true
      const error = Object.assign(new Error('too many chunks'), { code: tooManyChunks })
      server.emit('clientError', error, connection.socket)
      return true
    }
  }

  function onClosed(this: ServerResponse): void {
    const connection = connectionOf.get(this.req.socket)!
    if (connection.unfinished === 0) return // the connection was closed, and its responses were subtracted then
    const weight = weightOf(this.req)
    unfinished -= weight
    if (connection.closing) unfinishedClosing -= weight
    connection.finish(this)
    if (connection.unfinished === 0 && !connection.socket.destroyed) becomeIdle(connection)
    turns.enter(connection)
  }

  function becomeIdle(connection: Connection): void {
    connection.since = ticks
    connection.unreadWatched = false
    connection.idlePlace = lineOf(connection).join(connection)
  }

  function becomeBusy(connection: Connection): void {
    if (connection.idlePlace === null) return
    lineOf(connection).leave(connection.idlePlace)
    connection.idlePlace = null
  }

  function lineOf({ arrived }: Connection): WaitingLine<Connection> {
    return arrived === 0 ? strangers : idle
  }

  /** When few slots are left, closes connections that have been idle for a while, the longest idle first. */
  function makeRoom(): void {
    adaptTimeouts()
    for (let left = open.size; left > limits.connectionsCrowded; left--) {
      const connection = left > limits.connectionsFull ? leastMissed() : longestIdle()
      if (connection === undefined) return
      becomeBusy(connection)
      if (isUnread(connection)) closeUnread.call(connection.socket)
      else refusals.count('idleClosed')
      connection.socket.destroy()
    }
  }

  function longestIdle(): Connection | undefined {
    const [one, other] = [idle.first, strangers.first]
    const first = one === undefined || (other !== undefined && other.since <= one.since) ? other : one
    return hasWaited(first, ticksWhenCrowded)
  }

  /**
   * Otherwise whoever takes thousands of slots each second, or keeps thousands of connections busy, would keep newcomers out.
   * A newcomer sends its request at once, and all of it. A partner that pauses between awards comes last: it would have to
   * find a slot again.
   */
  function leastMissed(): Connection | undefined {
    const stranger = hasWaited(strangers.first, ticksForStrangers)
    if (stranger !== undefined) return stranger
    for (let next = givingWay.pop(); next !== undefined; next = givingWay.pop()) {
      if (stillGivesWay(next, slownessOf)) return next.connection
    }
    return hasWaited(idle.first, ticksWhenFull)
  }

  function hasWaited(connection: Connection | undefined, forTicks: number): Connection | undefined {
    return connection !== undefined && ticks - connection.since >= forTicks ? connection : undefined
  }

  function findGivingWay(): void {
    givingWay = []
    if (open.size <= limits.connectionsCrowded) return
    for (const connection of open) connection.watchReader()
    givingWay = rankGivingWay(open, slownessOf)
  }

  function slownessOf(connection: Connection): Slowness {
    if (isUnread(connection)) return connection.unreadTicks >= ticksWhenFull ? 'stalled' : 'unread'
    return connection.onlyReceives() && hasWaited(connection, ticksWhenFull) !== undefined ? 'stalled' : null
  }

  function isUnread({ socket }: Connection): boolean {
    return socket.writableLength > 0
  }

  /** The first applies to connections that become idle from now on, the others to all. */
  function adaptTimeouts(): void {
    const crowded = open.size > limits.connectionsCrowded
    server.keepAliveTimeout = crowded ? limits.keepAliveCrowdedMs : limits.keepAliveMs
    // Both: Node swaps them if that of the headers is longer.
    server.requestTimeout = crowded ? limits.requestTimeoutCrowdedMs : limits.requestTimeoutMs
    server.headersTimeout = server.requestTimeout
  }

  /** At most one connection is closed per request, and the search looks at 4,096 connections at most. */
  function closeMostUnfinished(): void {
    let most: Connection | undefined
    for (const connection of open) {
      if (connection.closing) continue
      if (most === undefined || connection.unfinished > most.unfinished) most = connection
    }
    if (most === undefined) return
    refusals.count('floodClosed', most.socket.remoteAddress)
    unfinishedClosing += most.unfinished
    const { socket } = most
    const place = closing.join(most)
    socket.once('close', () => closing.leave(place))
    most.closeAfterStarted()
    // Closing connections are bounded too: the one that has been closing the longest is destroyed.
    if (unfinishedClosing > limits.unfinishedMax) closing.first?.socket.destroy()
  }

  /** Sets a timeout where a response is not being read, and ends it where it has been: no event reports that. */
  function watchUnread(): void {
    for (const connection of open) {
      const { socket } = connection
      const unread = isUnread(connection)
      if (connection.unfinished === 0 || unread === connection.unreadWatched) continue
      connection.unreadWatched = unread
      // Node restarts this timer when some of it is read, reuses it for keep-alive after the last response, and destroys the
      // socket when it fires. (Node's server accepts any stream; one that is not a socket has no timer.)
      socket.setTimeout?.(unread ? limits.unreadTimeoutMs : 0)
      socket.off('timeout', closeUnread)
      if (unread) socket.prependOnceListener('timeout', closeUnread)
    }
  }

  /** Before Node closes it, which would leave megabytes of unread responses in the kernel's send buffer for minutes. */
  function closeUnread(this: Socket): void {
    if (connectionOf.get(this)!.unfinished === 0) return
    refusals.count('unreadClosed', this.remoteAddress)
    // While a socket is being shut down, it cannot be reset.
    if (this.writableLength > 0) this.resetAndDestroy()
  }

  const timer = setInterval(() => {
    ticks++
    findGivingWay()
    if (ticks % ticksPerSecond !== 0) return
    beyondMax = 0
    wasted = 0
    adaptTimeouts()
    if (unfinished > 0) watchUnread()
  }, tickMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
  server.on('connection', onConnection)
  server.on('request', onRequest)
  server.on('drop', () => {
    refusals.count('slotsFull')
    makeRoom() // for the next client: a dropped connection never reaches onConnection
  })
  return {
    unfinished: () => unfinished,
    drain() {
      listener.draining = true
      for (const connection of open) connection.closeAfterLatest()
    },
    destroyAll() {
      for (const { socket } of open) socket.destroy()
    },
  }
}
