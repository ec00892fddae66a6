import { setTimeout as sleep } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import type { LogLevel } from './config.ts'
import { createIsoTimes } from './shortcuts/iso-time.ts'
import { collectLines } from './shortcuts/log-line.ts'

/** If the log is not read, lines beyond this many buffered bytes are dropped, so that memory stays bounded. */
const logBufferMax = 4_194_304
/** Lines are flushed at this many bytes, or after this delay: each write is a round trip to another thread. */
type WriteSizes = { minLength: number; maxWrite: number }
const logDelayMs = 100
const oneProcess: WriteSizes = { minLength: 16_384, maxWrite: 65_536 }
/** PIPE_BUF: a pipe writes up to 4,096 bytes atomically, so that lines of several processes do not mix. */
const severalProcesses: WriteSizes = { minLength: 3_072, maxWrite: 4_096 }

/** Logs that cannot be written at the moment: the disk is full, or nobody reads the pipe. */
const stuck = new WeakSet<Logger>()

/** JSON lines on standard error, which `processes` write to. Standard output is for people. */
export function createLog(level: LogLevel, { processes = 1 } = {}): Logger {
  const destination = pino.destination({
    fd: 2,
    sync: false,
    maxLength: logBufferMax,
    ...(processes === 1 ? oneProcess : severalProcesses),
    periodicFlush: logDelayMs,
  })
  const lines = collectLines(destination, createIsoTimes())
  const stream = {
    ...lines,
    flush: (done: () => void) => destination.flush(done),
    flushSync: () => destination.flushSync(),
  }
  const log = pino({ base: null, level, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  // Without a listener, a full disk would end the process. The lines are kept and written later.
  destination.on('error', () => stuck.add(log))
  destination.on('write', () => stuck.delete(log))
  // Called by the log, and every `logDelayMs`.
  const flush = destination.flush.bind(destination)
  destination.flush = (done) => {
    lines.writeCollected()
    flush(done)
  }
  // Called when the process exits. pino's own would retry until it succeeds.
  const flushSync = destination.flushSync.bind(destination)
  destination.flushSync = () => {
    lines.writeCollected()
    if (!stuck.has(log)) flushSync()
  }
  return log
}

const flushMaxMs = 1_000

/** Writes the last lines before the process exits, if they can be written. */
export async function flushLog(log: Logger): Promise<void> {
  // An error says nothing: a pipe cannot be synced, and a failed write is noticed above.
  const flushed = new Promise<boolean>((resolve) => log.flush(() => resolve(true)))
  const late = sleep(flushMaxMs, false, { ref: false })
  if (!(await Promise.race([flushed, late]))) stuck.add(log)
}
