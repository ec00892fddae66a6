import type { Socket } from 'node:net'
import type {
  FastifyRequest,
  HookHandlerDoneFunction,
  onSendHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import { Unavailable } from '../ledger/faults.ts'
import { limits } from './limits.ts'

/**
 * How much is worked on at a time. A request is *waiting*, then *working*, then *answered*; one that finds a place is
 * working at once. Without a bound, all that the connections bring is begun, and everything begun lives longer and
 * takes memory. To refuse at once would be no help: whoever is refused comes back at once.
 *
 * Every key that callers claim has its own line, and the lines are served in turn; no key may hold all places, so that
 * one whose work is stuck does not shut out the others. A connection has at most one request waiting, which bounds
 * the lines: further ones, sent behind it before it is answered, are refused when no place is free.
 */
export type Admission = {
  /** Comes after the body has been read, so that a slow one holds no place. */
  enter: preHandlerHookHandler
  /** Comes when the work is done, even if the client has gone meanwhile. */
  leave: onSendHookHandler
}

type Waiting = {
  request: FastifyRequest
  key: string
  socket: Socket
  sinceTick: number
  goOn: HookHandlerDoneFunction
  giveUp(): void
}

const ticksPerWait = 10

export function createAdmission(): Admission {
  /** With the key for which each holds its place. */
  const working = new Map<FastifyRequest, string>()
  const placesOf = new Map<string, number>()
  /** In the order of arrival, by connection. */
  const waiting = new Map<Socket, Waiting>()
  const lines = new Map<string, Set<Waiting>>()
  let ticks = 0
  let timer: NodeJS.Timeout | undefined
  let admitting = false

  function hasPlaceFor(key: string): boolean {
    return working.size < limits.workingMax && (placesOf.get(key) ?? 0) < limits.workingOfKeyMax
  }

  function takePlace(request: FastifyRequest, key: string): void {
    working.set(request, key)
    placesOf.set(key, (placesOf.get(key) ?? 0) + 1)
  }

  function lineUp(request: FastifyRequest, key: string, goOn: HookHandlerDoneFunction): void {
    const { socket } = request.raw
    const one: Waiting = { request, key, socket, sinceTick: ticks, goOn, giveUp: () => stepOut(one) }
    waiting.set(socket, one)
    lines.set(key, (lines.get(key) ?? new Set()).add(one))
    socket.once('close', one.giveUp)
    timer ??= setInterval(refuseOverdue, limits.waitMaxMs / ticksPerWait).unref()
  }

  function stepOut(one: Waiting): void {
    const line = lines.get(one.key)!
    line.delete(one)
    if (line.size === 0) lines.delete(one.key)
    waiting.delete(one.socket)
    one.socket.off('close', one.giveUp)
  }

  /** After all that this turn of the event loop frees: its answers are on their way first. */
  function admitSoon(): void {
    if (admitting || waiting.size === 0) return
    admitting = true
    queueMicrotask(admit)
  }

  function admit(): void {
    admitting = false
    for (const [key, line] of lines) {
      if (working.size === limits.workingMax) return
      if (!hasPlaceFor(key)) continue
      const [first] = line
      stepOut(first!)
      // Served lines go to the end, which this loop has yet to reach.
      if (lines.delete(key)) lines.set(key, line)
      takePlace(first!.request, key)
      first!.goOn()
    }
  }

  /** Counted in ticks, because a process that stood still has kept nobody waiting by its own fault. */
  function refuseOverdue(): void {
    ticks++
    for (const one of waiting.values()) {
      if (ticks - one.sinceTick < ticksPerWait) break
      stepOut(one)
      one.goOn(tooMany())
    }
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    enter(request, _, goOn) {
      const key = String(request.headers['x-api-key'] ?? '')
      if (waiting.size === 0 && hasPlaceFor(key)) {
        takePlace(request, key)
        return goOn()
      }
      if (waiting.has(request.raw.socket)) return goOn(tooMany())
      lineUp(request, key, goOn)
      admitSoon()
    },
    leave(request, _, payload, done) {
      const key = working.get(request)
      if (key !== undefined) {
        working.delete(request)
        const left = placesOf.get(key)! - 1
        if (left === 0) placesOf.delete(key)
        else placesOf.set(key, left)
        admitSoon()
      }
      done(null, payload)
    },
  }
}

function tooMany(): Unavailable {
  return new Unavailable('too many requests are waiting')
}
