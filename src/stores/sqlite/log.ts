import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Unavailable } from '../../ledger/errors.ts'
import { asUnavailable, type Database } from './database.ts'
import { busyTimeoutMs } from './until-not-busy.ts'

/** The write-ahead log, as the writer's connection sees it. Lengths are in pages. */
type Log = {
  /** `left` pages of it are not in the database yet. */
  length(): { pages: number; left: number }
  /**
   * Copies what is left into the database, waits up to `waitMs` for readers that still need the log, and lets the next
   * commit write from its beginning. TRUNCATE gives its room back to the disk, too. False where readers stayed longer,
   * where another connection is copying, or where the disk failed: then the log goes on as it is.
   */
  startOver(how: 'RESTART' | 'TRUNCATE', waitMs: number): boolean
  /** Pages that the disk has room for, and by how many the database file has to grow to take what is left. */
  room(): { free: number; needed: number }
}

export function openLog(database: Database, path: string): Log {
  const look = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  const selectPages = database.prepare('PRAGMA page_count')
  const pageBytes = database.prepare('PRAGMA page_size').get()!.page_size as number

  return {
    length() {
      const { log, checkpointed } = look.get() as { log: number; checkpointed: number }
      return { pages: log, left: log - checkpointed }
    },
    startOver(how, waitMs) {
      try {
        database.exec(`PRAGMA busy_timeout = ${waitMs}`)
        return database.prepare(`PRAGMA wal_checkpoint(${how})`).get()!.busy === 0
      } catch (error) {
        if (asUnavailable(error) instanceof Unavailable) return false
        throw error
      } finally {
        database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      }
    },
    room() {
      const pages = selectPages.get()!.page_count as number
      try {
        const { bavail, bsize } = statfsSync(dirname(path))
        const filePages = Math.floor(statSync(path).size / pageBytes)
        return { free: Math.floor((bavail * bsize) / pageBytes), needed: Math.max(0, pages - filePages) }
      } catch {
        return { free: Number.POSITIVE_INFINITY, needed: 0 } // the write itself will fail if the disk is full
      }
    },
  }
}

/** 80 MB, in pages of 4 KB: below the length at which a server copies it, with room for the next changes. */
const longAt = 20_000

/**
 * After a change by a command or the operator API: a server copies the log after an award only, and many changes would
 * make it grow without a limit. The next change, whoever makes it, then writes from the beginning. No commit waits for the
 * copy, and it waits for nobody; where it fails, because the disk is full, the log keeps everything.
 */
export function copyLongLog(database: Database): void {
  try {
    const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<
      string,
      number
    >
    if (log! - checkpointed! >= longAt) database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
  } catch (error) {
    if (!(asUnavailable(error) instanceof Unavailable)) throw error
  }
}
