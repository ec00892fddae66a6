import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemClock } from '../clock.ts'
import { type Connection, connectionOf } from './connection.ts'
import { limits } from './limits.ts'
import { STATUS_CODES } from './node-http.ts'
import { type Problem, problemBody, problemType } from './problem.ts'
import type { Refusals } from './refusals.ts'

/** The code of the error that a listener raises by itself: Node has no such limit. */
export const tooManyChunks = 'TOO_MANY_CHUNKS'

/**
 * Responds to bytes that never become a request: malformed HTTP, oversized headers, a client that is too slow. By
 * default Node writes a bare 400, even when the response to a committed award is about to be sent on that connection.
 */
export function answerBrokenRequests(
  server: Server,
  refusals: Refusals,
  { hasErrorPages }: { hasErrorPages: boolean },
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  /** Sends the responses to the complete requests before it first, then closes the connection. */
  function refuse(socket: Duplex, problem: Problem): void {
    const connection = connectionOf.get(socket)
    if (connection?.readingEnded) return
    connection?.endReading()
    if (connection?.receivesAnswered()) return void socket.end(() => socket.destroy())
    const whole = connection?.latestWhole() ?? null
    if (whole === null) return void endWithProblem(socket, problem, hasErrorPages)
    socket.on('error', () => socket.destroy())
    if (!whole.headersSent) whole.setHeader('connection', 'close')
    whole.once('close', () => socket.destroy())
  }

  function refuseBroken(socket: Duplex, problem: Problem): void {
    if (!connectionOf.get(socket)?.readingEnded) refusals.count('brokenHttp')
    refuse(socket, problem)
  }

  /** Time in which we did not read does not count against the client: the arriving request gets a second timeout. */
  function onTimeout(connection: Connection, problem: Problem): void {
    const number = connection.arrivingNumber()
    const timer = setTimeout(() => {
      if (connection.socket.destroyed || !connection.isArriving(number)) return
      if (connection.waitsToBeRead()) onTimeout(connection, problem)
      else refuseBroken(connection.socket, problem)
    }, server.requestTimeout)
    timer.unref()
  }

  server.on('connect', (_, socket) => {
    // Node has removed its timeouts from this socket: a client that never reads would keep it open forever.
    if (socket instanceof Socket) socket.setTimeout(limits.unreadTimeoutMs, () => socket.destroy())
    refuse(socket, nothingHere)
  })
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const connection = connectionOf.get(socket)
    const problem = problemOf(error, server.requestTimeout)
    if (problem.status === 408 && connection !== undefined && hadToWait(connection, server.requestTimeout))
      return void onTimeout(connection, problem)
    refuseBroken(socket, problem)
  }
}

function hadToWait(connection: Connection, timeoutMs: number): boolean {
  return connection.waitsToBeRead() || systemClock.elapsed() - connection.readAgainAt < timeoutMs
}

/** Also the response to CONNECT: there is no tunnel. */
export const nothingHere: Problem = { code: 'NOT_FOUND', detail: 'there is no such path' }

function endWithProblem(socket: Duplex, problem: Problem, hasErrorPages: boolean): void {
  // Node no longer handles this socket's errors, and an unhandled one ends the process.
  socket.on('error', () => socket.destroy())
  const requestId = randomUUID()
  const { status, body } = problemBody(problem, requestId, hasErrorPages)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `content-type: ${problemType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

function problemOf(error: NodeJS.ErrnoException, timeoutMs: number): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const detail = `the request was not complete within ${timeoutMs / 1000} s`
    return { code: 'INVALID_REQUEST', status: 408, detail }
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return {
      code: 'INVALID_REQUEST',
      status: 431,
      detail: `the headers exceed ${limits.headerBytesMax} bytes`,
    }
  }
  if (error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { code: 'INVALID_REQUEST', status: 413, detail: 'the chunk extensions are too large' }
  }
  if (error.code === tooManyChunks) {
    const { bodyChunksMax, smallChunksMax, smallChunkBytes } = limits
    const detail =
      `the body has more than ${bodyChunksMax} chunks, or there are more than ${smallChunksMax} of less than ` +
      `${smallChunkBytes} bytes in requests of this connection that have no response yet`
    return { code: 'INVALID_REQUEST', status: 413, detail }
  }
  return { code: 'INVALID_REQUEST', detail: 'this is not a well-formed HTTP/1.1 request' }
}
