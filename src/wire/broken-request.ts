import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { limits } from './limits.ts'
import { STATUS_CODES } from './node-http.ts'
import { type Problem, problemBody, problemType } from './problem.ts'
import type { UnfinishedResponses } from './unfinished-responses.ts'

/**
 * Answers what never becomes a request: broken HTTP, headers that are too large, a client that is too slow. Node
 * would write a bare 400, even over an award that has just been committed and is about to be answered.
 */
export function answerBrokenRequests(
  server: Server,
  unfinished: UnfinishedResponses,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  /** Whole requests that are being answered have their answers first, whatever follows them; then we close. */
  function refuse(socket: Duplex, problem: Problem): void {
    const answering = unfinished.of(socket).findLast(isBeingAnswered)
    if (answering === undefined) return void endWithProblem(socket, problem)
    socket.on('error', () => socket.destroy())
    if (!answering.headersSent) answering.setHeader('connection', 'close')
    answering.once('close', () => socket.destroy())
  }

  server.on('connect', (_, socket) => refuse(socket, nothingHere))
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refuse(socket, problemOf(error))
  }
}

/** There is no tunnel either. */
export const nothingHere: Problem = { code: 'NOT_FOUND', detail: 'there is no such path' }

function isBeingAnswered({ req, headersSent }: ServerResponse): boolean {
  return req.complete || headersSent
}

function endWithProblem(socket: Duplex, problem: Problem): void {
  // Node has let go of this socket: nobody else hears its errors, and an unheard one ends the process.
  socket.on('error', () => socket.destroy())
  const requestId = randomUUID()
  const { status, body } = problemBody(problem, requestId)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `content-type: ${problemType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

function problemOf(error: NodeJS.ErrnoException): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const detail = `the request did not arrive whole within ${limits.requestTimeoutMs / 1000} s`
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
  return { code: 'INVALID_REQUEST', detail: 'this is not a well-formed HTTP/1.1 request' }
}
