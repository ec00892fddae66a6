import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * The responses that a server has yet to finish, each with its connection. Not in one Set of all of them: V8 makes such
 * a table anew as entries come and go, and what the old ones still point to survives with them, all that belongs to a
 * request. Copying that took a tenth of an award's time, and the others waited for it.
 */
export type UnfinishedResponses = {
  count(): number
  /** In the order of their requests. */
  of(socket: Duplex): readonly ServerResponse[]
}

export function watchResponses(server: Server): UnfinishedResponses {
  const bySocket = new WeakMap<Duplex, ServerResponse[]>()
  let count = 0

  server.on('request', ({ socket }, response) => {
    if (!bySocket.has(socket)) bySocket.set(socket, [])
    const responses = bySocket.get(socket)!
    responses.push(response)
    count++
    response.once('close', () => {
      responses.splice(responses.indexOf(response), 1)
      count--
    })
  })
  return { count: () => count, of: (socket) => bySocket.get(socket) ?? [] }
}
