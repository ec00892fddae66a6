import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { headerLines, requestText } from '../support/raw-http.ts'

/** The outcomes of the slow connections. */
type SlowClients = {
  figures(): { answered408: number; oldestMs: number; closedUnanswered: number; violations: string[] }
  end(): void
}

const body = 'x'.repeat(60_000)
const headers = {
  Host: 'localhost',
  'Content-Type': 'application/json',
  'X-Api-Key': 'x',
  'X-Timestamp': '1',
}
const requestLine = 'POST /v1/ep/webhook HTTP/1.1'
const unfinished = requestText(requestLine, headerLines(headers)).slice(0, -4)
const withBody = requestText(requestLine, headerLines({ ...headers, 'Content-Length': '65536' }))

/** How a connection begins, and what it sends once a second so that it is never silent. */
const ways: { start: string; drip: string; mayStay?: true }[] = [
  { start: '', drip: '' },
  { start: `${requestLine}\r\n`, drip: '' },
  { start: unfinished, drip: '\r\nX-More: 1' },
  { start: withBody, drip: ' ' },
  // The most memory that a client can occupy without authentication.
  { start: withBody + body, drip: ' ' },
  // Idle after a response: that is what keep-alive is for.
  { start: requestText('GET /livez HTTP/1.1', ['Host: localhost']), drip: '', mayStay: true },
]

const dripMs = 1000
const reopenMs = 200
const openAtOnce = 25
const openEveryMs = 10
/** A request has 10 s to arrive completely. That is checked once a second, and the response takes time. */
const slowMaxMs = 15_000

/** Holds this many connections open, slow in different ways in turn; one that was closed is reopened. */
export function startSlowClients(url: string, count: number): SlowClients {
  const { hostname, port } = new URL(url)
  const figures = { answered408: 0, oldestMs: 0, closedUnanswered: 0, violations: [] as string[] }
  const sockets = new Map<Socket, { way: (typeof ways)[number]; openedAt: number; status: number }>()
  let ended = false

  function open(index: number): void {
    const way = ways[index % ways.length]!
    const socket = connect(Number(port), hostname)
    const slow = { way, openedAt: 0, status: 0 }
    socket.on('connect', () => {
      slow.openedAt = performance.now()
      sockets.set(socket, slow)
      socket.write(way.start)
    })
    socket.on('data', (bytes: Buffer) => {
      slow.status = Number(bytes.toString('latin1', 9, 12))
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      if (sockets.delete(socket) && !ended) tell(slow)
      if (!ended) setTimeout(() => !ended && open(index), reopenMs)
    })
  }

  function tell({
    way,
    openedAt,
    status,
  }: {
    way: (typeof ways)[number]
    openedAt: number
    status: number
  }): void {
    if (way.mayStay) return
    if (status === 408) figures.answered408++
    else if (status === 0) figures.closedUnanswered++
    else figures.violations.push(`I24: a slow request was answered with ${status}`)
    noteAge(openedAt)
  }

  function noteAge(openedAt: number): void {
    const ageMs = Math.round(performance.now() - openedAt)
    figures.oldestMs = Math.max(figures.oldestMs, ageMs)
    if (ageMs > slowMaxMs) figures.violations.push(`I24: a slow request was held for ${ageMs} ms`)
  }

  // A few at a time: of too many at once, some would be lost before the service has seen them.
  let opened = 0
  const opening = setInterval(() => {
    for (let more = openAtOnce; more > 0 && opened < count; more--) open(opened++)
  }, openEveryMs)
  const dripping = setInterval(() => {
    for (const [socket, { way }] of sockets) if (way.drip !== '' && socket.writable) socket.write(way.drip)
  }, dripMs)

  return {
    figures() {
      const taken = portsTakenBy(Number(port))
      for (const [{ localPort }, { way, openedAt }] of sockets) {
        if (!way.mayStay && taken.has(localPort!)) noteAge(openedAt)
      }
      return figures
    },
    end() {
      ended = true
      clearInterval(opening)
      clearInterval(dripping)
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}

/**
 * The clients' ports of all connections that the server has accepted. A client whose last packet met a full queue
 * believes that it is connected, and if it never sends anything it does not find out.
 */
function portsTakenBy(serverPort: number): Set<number> {
  const portIn = (address: string) => Number.parseInt(address.split(':')[1]!, 16)
  const connections = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  return new Set(
    connections
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , , , , , , , inode]) => portIn(local!) === serverPort && inode !== '0')
      .map(([, , remote]) => portIn(remote!)),
  )
}
