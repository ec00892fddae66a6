import type { IncomingMessage } from 'node:http'
import { connectionOf, weightOfBody } from './connection.ts'
import { createTurns } from './turns.ts'

type LateBody = { bytes: number; goOn(): void }

const late = new WeakSet<IncomingMessage>()
/** Of all listeners: they share the event loop. */
const turns = createTurns<LateBody>(
  ({ goOn }) => goOn(),
  ({ bytes }) => weightOfBody(bytes),
)

/** The request is started with its headers, while its body is still on the way. */
export function bodyComesLater(request: IncomingMessage): void {
  late.add(request)
}

/**
 * For a body that has come to its end. What takes time is to read the body, so one that came after its request was started takes
 * a turn of its own. Otherwise, whoever sends the last bytes of four hundred bodies at once has all of them read in one
 * turn of the event loop.
 */
export function inItsTurn(request: IncomingMessage, bytes: number, goOn: () => void): void {
  if (!late.delete(request)) return void goOn()
  let waiting = true
  turns.enter({
    turnsAs: connectionOf.get(request.socket)?.turnsAs ?? '',
    mayStart: () => waiting,
    goesAhead: () => true,
    takeNext() {
      waiting = false
      return { bytes, goOn }
    },
    inRing: false,
    nextInRing: null,
  })
}
