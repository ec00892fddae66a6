/**
 * Replaces: `log.info(fields, message)`, with which pino makes each line into text at once, field by field.
 * Buys: half of a line's time, and 15 µs of an award that arrives alone (`npm run shortcuts`, `npm run bench -- latency`).
 * Compared in: src/shortcuts/log-line.test.ts
 */
import pino, { type DestinationStream, type Logger } from 'pino'

/** What pino adds to the fields, in the places where it does: `level` and `time` first, `msg` last. */
type Line = { level: number; time: number; msg: string; [field: string]: unknown }

type CollectedLines = DestinationStream & {
  add(line: Line): void
  writeCollected(): void
}

/** Call it only if the level is enabled. */
export function writeLogLine(log: Logger, line: Line): void {
  const destination = destinationOf(log)
  if ('add' in destination) destination.add(line)
  else destination.write(textOf(line, (ms) => new Date(ms).toISOString()))
}

const collectedMax = 32

/**
 * Lines are made into text together, not each of them between a response and the next request. They are written before
 * any other line, so that all stay in their order. The owner calls `writeCollected` now and then, and before the process
 * ends.
 */
export function collectLines(
  destination: DestinationStream,
  isoTime: (ms: number) => string,
): CollectedLines {
  let collected: Line[] = []
  function writeCollected(): void {
    const lines = collected
    collected = []
    for (const line of lines) destination.write(textOf(line, isoTime))
  }
  return {
    add(line) {
      collected.push(line)
      if (collected.length >= collectedMax) writeCollected()
    },
    write(text) {
      writeCollected()
      destination.write(text)
    },
    writeCollected,
  }
}

function textOf(line: Line, isoTime: (ms: number) => string): string {
  return `${JSON.stringify({ ...line, time: isoTime(line.time) })}\n`
}

function destinationOf(log: Logger): DestinationStream | CollectedLines {
  return (log as Logger & { [pino.symbols.streamSym]: DestinationStream })[pino.symbols.streamSym]
}
