import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../clock.ts'
import { Unavailable } from '../../ledger/errors.ts'
import type { Database } from './database.ts'
import { LogCounts, newLogMemory } from './log-counts.ts'
import { openLog } from './log.ts'
import type { SameFile } from './file/same-file.ts'
import { startThread, type Thread } from './threads/thread.ts'

type Checkpoints = {
  /** Before each write. Throws `Unavailable` while the log is at its limit and cannot start over. */
  writing(): void
  /** After each COMMIT. */
  committed(): void
  close(): Promise<void>
}

/** Lengths of the log, in pages of 4 KB. */
export type LogLimits = { shortMax: number; copyAt: number; startOverAt: number; refuseAt: number }

export const usualLimits: LogLimits = {
  /** 4 MB. The log may always grow to this, however full the disk is. Free space is checked at this interval. */
  shortMax: 1_000,
  /**
   * 96 MB. A page that is written repeatedly is copied once. A lower limit means more copying in total; a higher one
   * keeps the disk busy for longer at a time, and commits wait for it.
   */
  copyAt: 24_000,
  /** 128 MB. After a kill, the next start has to read the whole log, so that a longer log means a slower start. */
  startOverAt: 32_000,
  /** 1 GB: some minutes of normal load while another program keeps reading. A start with such a log takes seconds. */
  refuseAt: 256_000,
}

/** Our own readers finish well within this. Awards wait at most this long. */
const readersWaitMs = 400
/** After readers have stayed longer than that, the log grows by half before awards wait for them again. */
const waitGrowth = 1.5
/** While a reader keeps the log in use, copying achieves nothing, and each attempt costs more as the log grows. */
const fruitlessPauseMs = 1_000
/** The log may take this share of the free disk space. */
const roomShare = 1 / 4

/**
 * Keeps the log short. SQLite by itself copies it into the database inside a COMMIT, and all awards wait as long. Here
 * a thread beside the writer copies. Then, if no reader uses the log, the writer copies the rest, which is short, and
 * writes from its beginning again.
 *
 * A reader keeps the log from starting over. Short reads one after the other do, too, because another commit has
 * always come in between: so at `startOverAt` the writer waits a moment for them. A reader that stays makes the log
 * grow, up to `refuseAt`. There awards are refused until it ends: a full disk would be worse.
 *
 * When the disk has little room left, the log is kept so short that what it needs of the disk is small.
 */
export function createCheckpoints(
  database: Database,
  file: SameFile,
  { limits = usualLimits, counts = new LogCounts(newLogMemory()) } = {},
): Checkpoints {
  const log = openLog(database, file.path)
  let thread: Thread<'copy', null> | null = null
  let copying = false
  let isWritten = true
  let length = 0
  let lookAt = 0
  let waitAt = 0

  async function copy(): Promise<void> {
    copying = true
    const startedAt = systemClock.elapsed()
    try {
      thread ??= startThread(new URL('./threads/checkpointer.ts', import.meta.url), file, {
        onNotStarted() {
          thread = null
        },
      })
      await thread.ask('copy')
    } catch (error) {
      // The log stays as it is, and loses nothing.
      if (!(error instanceof Unavailable)) throw error
    }
    counts.copiesMs.observe(systemClock.elapsed() - startedAt)
    const { pages, left } = log.length()
    // Commits wait while the writer copies the rest. There is little of it now, and more of it later.
    if (left < limits.shortMax) startOver('RESTART', pages, 0)
    else if (left >= limits.copyAt) await sleep(fruitlessPauseMs, null, { ref: false })
    copying = false
  }

  /** Returns whether the next commit writes from the beginning of the log. */
  function shorten(waitMs: number): boolean {
    if (copying) return false
    const { pages, left } = log.length()
    const { free, needed } = log.room()
    if (needed > free) return false
    const roomyMax = Math.max(limits.shortMax, Math.floor(free * roomShare))
    if (roomyMax < limits.copyAt && pages >= roomyMax) return startOver('TRUNCATE', pages, waitMs)
    if (left >= limits.copyAt) void copy()
    else if (pages >= limits.startOverAt) return startOver('RESTART', pages, waitMs)
    return false
  }

  function startOver(how: 'RESTART' | 'TRUNCATE', pages: number, waitMs: number): boolean {
    const waits = waitMs > 0 && pages >= waitAt
    const startedAt = systemClock.elapsed()
    const done = log.startOver(how, waits ? waitMs : 0)
    counts.startsOverMs.observe(systemClock.elapsed() - startedAt)
    if (waits && !done) waitAt = pages * waitGrowth
    return done
  }

  return {
    writing() {
      const isTooLong = length >= limits.refuseAt
      if (isTooLong && !shorten(0)) throw new Unavailable(tooLong)
      // The last write failed. Where the disk is full, the log may have the room that the next one needs.
      if (!isTooLong && !isWritten) shorten(0)
      isWritten = false
    },
    committed() {
      isWritten = true
      const { pages } = log.length()
      if (pages < length) {
        lookAt = limits.shortMax
        waitAt = 0
      }
      length = pages
      counts.hasPages(pages)
      if (pages < lookAt) return
      lookAt = pages + limits.shortMax
      shorten(readersWaitMs)
    },
    async close() {
      await thread?.close()
    },
  }
}

const tooLong =
  'SQLite: the log has reached its limit of 1 GB and cannot start over. Another program has been reading the ledger ' +
  'all the while (a backup, a shell): end it. Or the disk is too full for a copy of the log: make room'
