import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readMigrations } from '../../migrations.ts'
import { hasContent, hasFrames } from './has-content.ts'
import { assertMayRead } from './permitted.ts'

/** What this file asks of a database. */
type Look = {
  exec(sql: string): void
  prepare(sql: string): { get(...values: string[]): unknown }
  close(): void
}
type Open = (file: string, options: { readOnly: boolean }) => Look

/**
 * Refuses a file that is neither a ledger nor empty. The check leaves no trace: it writes nothing, takes no lock and
 * creates no file beside it, as SQLite would when it opens a database that has a log.
 *
 * The ledger itself is read by SQLite only. If this process opened and closed it in any other way, the system would
 * release all locks that its connections hold on it. Then an older SQLite that closes the file elsewhere, such as a
 * shell, would take itself for the last one, and remove the log of a running server.
 */
export function assertOurs(path: string, open: Open): void {
  assertMayRead(path)
  const { size } = statSync(path)
  if (size === 0) {
    // SQLite would delete the log. A new ledger gets one only after its first page was synced, and frames after its header was.
    if (hasFrames(`${path}-wal`)) throw new Error(emptied)
    return
  }
  const kindOfFile = () => kindOfFileAlone(path, open) ?? kindOf(open(path, { readOnly: true }))
  let kind = kindOfFile()
  if (kind === 'empty') kind = kindWithLog(path, open) ?? kindOfFile()
  if (size === 1) kind = 'no database' // SQLite takes it for empty
  if (kind === 'no database' && !wasBeingMade(path)) throw new Error('it is not an SQLite database')
  if (kind === 'foreign') throw new Error('it is the database of another program')
}

const journalMagic = 'd9d505f920a163d7'
const pagesBeforeAt = 16

/**
 * After a power cut while the file was created, its first page may hold anything. The journal says that the file had no
 * pages before, and SQLite will roll it back to that.
 */
function wasBeingMade(path: string): boolean {
  if (!hasJournal(path)) return false
  const header = firstBytes(`${path}-journal`, pagesBeforeAt + 4)
  const isJournal = header.toString('hex', 0, journalMagic.length / 2) === journalMagic
  return isJournal && header.length === pagesBeforeAt + 4 && header.readUInt32BE(pagesBeforeAt) === 0
}

function hasJournal(path: string): boolean {
  return hasContent(`${path}-journal`)
}

const emptied =
  'the file is empty, but its log is there, so it has lost its content: restore a backup. To begin with a new ledger, move the log (-wal) to another folder, too: it may hold awards'

const corrupt = 11
const notADatabase = 26

/**
 * Null if the file cannot be read without its log: a server is copying the log into it, or was stopped while doing so by
 * a kill or a full disk. Then a log exists, and SQLite can open both together. If the server has just ended and removed the
 * log, a second look sees the whole file.
 */
function kindOfFileAlone(path: string, open: Open, looksAgain = true): Kind | null {
  try {
    return kindOf(open(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true }))
  } catch (error) {
    const { errcode } = error as { errcode?: number }
    if (errcode === notADatabase) return 'no database'
    if (errcode === corrupt && (existsSync(`${path}-wal`) || hasJournal(path))) return null
    if (errcode === corrupt && looksAgain) return kindOfFileAlone(path, open, false)
    throw error
  }
}

/** A log that has created no table within these bytes is not read further. */
const lookBytesMax = 8_388_608

/**
 * The first tables may exist only in the log, if its process was killed, or is still running. This looks at a copy of its
 * beginning, beside a new database: the file itself has nothing that is not in the log. Null: the log no longer exists.
 */
function kindWithLog(path: string, open: Open): Kind | null {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-look-'))
  const copy = join(folder, 'copy.db')
  try {
    const log = firstBytes(`${path}-wal`, lookBytesMax)
    makeEmpty(open(copy, { readOnly: false }))
    writeFileSync(`${copy}-wal`, log)
    return kindOf(open(copy, { readOnly: false }))
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code!)) return null
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** In WAL mode and without a table, so that SQLite reads the log beside it. */
function makeEmpty(database: Look): void {
  database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL')
  database.close()
}

type Kind = 'ours' | 'empty' | 'foreign' | 'no database'

/** Every ledger began with the same first migration. Closes the database. */
function kindOf(database: Look): Kind {
  try {
    if (database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined)
      return isMarked(database) ? 'foreign' : 'empty'
    const first = readMigrations(new URL('../migrations/', import.meta.url))[0]!
    const known = database.prepare('SELECT 1 FROM migrations WHERE name = ? AND sha256 = ?')
    return known.get(first.name, first.sha256) === undefined ? 'foreign' : 'ours'
  } catch (error) {
    if (/no such (table|column)/.test((error as Error).message)) return 'foreign'
    throw error
  } finally {
    database.close()
  }
}

/** By its program, which has not created a table yet. We set neither number before the first table. */
function isMarked(database: Look): boolean {
  const marks = database.prepare(
    'SELECT 1 FROM pragma_application_id(), pragma_user_version() WHERE application_id <> 0 OR user_version <> 0',
  )
  return marks.get() !== undefined
}

function firstBytes(path: string, count: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.min(count, fstatSync(file).size))
    return bytes.subarray(0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}
