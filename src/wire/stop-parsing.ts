import type { Socket } from 'node:net'

type Parser = { onIncoming(request: { upgrade: boolean }): number }

/** What Node's parser is told of a request behind which something other than HTTP begins. */
const notHttpFromHere = 2

/**
 * The next request is the last that Node reads of what has arrived on this connection. It has no call for that: a parser that
 * is paused, or whose socket is destroyed, reads to the end, which may be two thousand requests away.
 */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Parser | null }
  if (!parser) return
  parser.onIncoming = (request) => {
    // For a CONNECT, Node would no longer handle the errors of the socket, on which responses are still to be written.
    request.upgrade = false
    return notHttpFromHere
  }
}
