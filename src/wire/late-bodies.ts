import type { IncomingMessage } from 'node:http'
import { connectionOf } from './connection.ts'
import { limits } from './limits.ts'
import { createTurns } from './turns.ts'

type LateBody = { bytes: number; goOn(): void }

const late = new WeakSet<IncomingMessage>()
/** Of all listeners: they share the event loop. */
const turns = createTurns<LateBody>(
  ({ goOn }) => goOn(),
  ({ bytes }) => weightInTurn(bytes),
)

/** As how many requests a body counts in a turn: by what it takes to read it. */
function weightInTurn(bytes: number): number {
  return 1 + Math.floor(bytes / limits.bodyBytesPerAward)
}

/** At the start of a request. Of a body in chunks, what has come counts; and of one that comes later, nothing. */
export function weightAtStart({ headers, readableLength, complete }: IncomingMessage): number {
  return complete ? weightInTurn(Number(headers['content-length'] ?? readableLength)) : 1
}

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
