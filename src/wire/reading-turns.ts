import { WaitingLine } from '../shortcuts/waiting-line.ts'
import { limits } from './limits.ts'

/** A connection that may be read on. */
type Reader = { readOn(): void }

type ReadingTurns = {
  /** The reader reads nothing until its turn comes. */
  enter(reader: Reader): void
}

/**
 * Node would read a client that sends fast 32 times, two megabytes, before it looks at the next one, and all the others in
 * the same turn of the event loop. A thousand of them would keep everybody else waiting for seconds.
 */
export function createReadingTurns(): ReadingTurns {
  const waiting = new WaitingLine<Reader>()

  function runTurn(): void {
    for (let reads = Math.min(limits.fullReadsPerTurn, waiting.size); reads > 0; reads--)
      waiting.shift()!.readOn()
    if (waiting.size > 0) setImmediate(runTurn)
  }

  return {
    enter(reader) {
      if (waiting.size === 0) setImmediate(runTurn)
      waiting.join(reader)
    },
  }
}
