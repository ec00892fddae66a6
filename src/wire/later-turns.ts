import type { IncomingMessage } from 'node:http'
import { type Connection, connectionOf } from './connection.ts'
import { weightInTurn } from './request-weight.ts'
import { createTurns } from './turns.ts'

/**
 * A request that has waited after its start takes another turn before it goes on. Otherwise all that waited for the same go on
 * in one turn of the event loop: whoever sends the last bytes of four hundred bodies at once would have all of them read
 * before anybody else is served. Nothing behind it on its connection is started meanwhile, so that awards stay in order.
 */
type Later = { connection: Connection; bytes: number; goOn(): void }

/** Of all listeners: they share the event loop. */
const turns = createTurns<Later>(
  ({ connection, goOn }) => {
    goOn()
    connection.goesOn()
  },
  ({ bytes }) => weightInTurn(bytes),
)

/** For a body that has come to its end. If that was after the start of its request, it takes another turn. */
export function inTurn(request: IncomingMessage, bytes: number, goOn: () => void): void {
  const connection = connectionOf.get(request.socket)
  if (connection?.receivesLate(request)) takeTurn(connection, bytes, goOn)
  else goOn()
}

/** For what many requests wait for at the same time. `bytes`: the body that is read afterwards. */
export async function thenInTurn(
  request: IncomingMessage,
  bytes: number,
  waitedFor: Promise<void>,
): Promise<void> {
  const connection = connectionOf.get(request.socket)
  try {
    await waitedFor
  } finally {
    if (connection !== undefined) {
      connection.waitsAgain()
      await new Promise<void>((resolve) => takeTurn(connection, bytes, resolve))
    }
  }
}

function takeTurn(connection: Connection, bytes: number, goOn: () => void): void {
  let waits = true
  turns.enter({
    turnsAs: connection.turnsAs,
    mayStart: () => waits,
    goesAhead: () => true,
    takeNext() {
      waits = false
      return { connection, bytes, goOn }
    },
    inRing: false,
    nextInRing: null,
  })
}
