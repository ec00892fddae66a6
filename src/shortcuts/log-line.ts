/**
 * Replaces: `log.info(fields, message)`, with which pino serializes field by field.
 * Buys: the log line of a request takes about half of the time (`npm run shortcuts`).
 * Compared in: src/shortcuts/log-line.test.ts
 */
import pino, { type DestinationStream, type Logger } from 'pino'

/** What pino adds to the fields, in the places where it does: `level` and `time` first, `msg` last. */
type Line = { level: number; time: string; msg: string; [field: string]: unknown }

/** Call it only if the level is enabled. */
export function writeLogLine(log: Logger, line: Line): void {
  destinationOf(log).write(`${JSON.stringify(line)}\n`)
}

function destinationOf(log: Logger): DestinationStream {
  return (log as Logger & { [pino.symbols.streamSym]: DestinationStream })[pino.symbols.streamSym]
}
