import { chmodSync, closeSync, existsSync, openSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolders } from '../../make-folders.ts'
import { syncFolder } from '../../sync-folder.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { hasContent } from './file/has-content.ts'
import { assertOneName } from './file/one-name.ts'
import { isThere } from './file/permitted.ts'
import { assertLogIsItsOwn, assertNotUsedElsewhere } from './file/used-elsewhere.ts'
import { assertOurs } from './file/whose-file.ts'
import { assertDurable, assertVersion } from './self-check.ts'
import { busyCode, busyTimeoutMs, untilNotBusy } from './until-not-busy.ts'

export { DatabaseSync as Database }

/**
 * The only way to open the file. Durability is not assumed: the settings are read back, and a database that ignores
 * them is refused. A file that is not a ledger is left untouched.
 */
export function openDatabase(path: string, { readOnly = false } = {}): DatabaseSync {
  try {
    if (!readOnly && !isThere(path)) createFile(path)
    assertOneName(path)
    // Absolute: SQLite would take a name that begins with "file:" for an address, and open another file.
    const file = realpathSync(path)
    assertLogIsItsOwn(file)
    assertOurs(file, (name, options) => new DatabaseSync(name, { ...options, timeout: busyTimeoutMs }))
    assertNotUsedElsewhere(file, (name) => new DatabaseSync(name))
    if (readOnly) finishRollback(file)
    const database = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs })
    database.exec(settings)
    if (!readOnly) makeDurable(database, path)
    assertVersion(database)
    return database
  } catch (error) {
    // Not closed: the last connection copies the log into the file, and the log may belong to another file.
    throw new Error(`cannot use ${path}: ${(error as Error).message}${adviceOn(error, path)}`, {
      cause: error,
    })
  }
}

function adviceOn(error: unknown, path: string): string {
  const { errcode = 0 } = error as { errcode?: number }
  const code = errcode & primaryCode
  if (errcode === noRoomForIndexCode) return ': its disk is full: make room on it'
  if (code === readOnlyCode || code === cannotOpenCode)
    return ': the user who runs this must be able to write to the folder that it is in, where SQLite keeps its log'
  if (code === damagedCode && existsSync(`${path}-wal`))
    return `: it is damaged, or the log beside it (${path}-wal) belongs to another file. If you have restored a backup here, remove that log and ${path}-shm, and restore the backup again. Otherwise keep a copy of these files, and restore a backup`
  return ''
}

/**
 * Readable by the owner only, before SQLite writes the first byte. SQLite syncs the folder that its files are in, but a
 * new folder is also an entry in its parent: without a sync of the parent, a power cut could remove it with its files.
 */
function createFile(path: string): void {
  const folder = resolve(dirname(path))
  const firstMade = makeFolders(folder)
  closeSync(openSync(path, 'a', 0o600))
  if (firstMade === undefined) return
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) syncFolder(dirname(made))
}

/**
 * A change that was cut off before there was a log, as while the file was made, has left a journal. SQLite puts the file back
 * before anybody reads it, and a connection that only reads cannot do that.
 */
function finishRollback(file: string): void {
  if (!hasContent(`${file}-journal`)) return
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    database.exec('SELECT count(*) FROM sqlite_schema')
  } finally {
    database.close()
  }
}

/** Not for read-only connections: a backup need not be in WAL mode. */
function makeDurable(database: DatabaseSync, path: string): void {
  chmodSync(path, 0o600)
  // While another process makes the same new file durable, SQLite fails this statement at once.
  untilNotBusy(() => database.exec('PRAGMA journal_mode = WAL'))
  assertDurable(database)
}

const settings = `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA recursive_triggers = ON;
  PRAGMA journal_size_limit = 134217728;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA cache_size = -16384;
`

/** Runs `work` in one write transaction, all or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (!beginAndCommit.has(database)) beginAndCommit.set(database, prepareBeginAndCommit(database))
  const { begin, commit } = beginAndCommit.get(database)!
  begin.run()
  try {
    const result = work()
    commit.run()
    return result
  } catch (error) {
    // Some errors (a full disk) have rolled back already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Prepared once per database: otherwise a single award would wait while their SQL is parsed. */
const beginAndCommit = new WeakMap<DatabaseSync, ReturnType<typeof prepareBeginAndCommit>>()

function prepareBeginAndCommit(database: DatabaseSync) {
  return { begin: database.prepare('BEGIN IMMEDIATE'), commit: database.prepare('COMMIT') }
}

const primaryCode = 0xff
const readOnlyCode = 8
const damagedCode = 11
const cannotOpenCode = 14
/** The index of the log (-shm) cannot grow. SQLite calls it an I/O error, with this extended code. */
const noRoomForIndexCode = 4874
const damaged = 'the database is damaged'
const unavailableCodes = new Map([
  [busyCode, 'the database is busy'],
  [6, 'the database is locked'],
  [7, 'out of memory'],
  [readOnlyCode, 'the database is read-only'],
  [10, 'the disk failed'],
  [damagedCode, damaged],
  [13, 'the disk is full: make room on it'],
  [cannotOpenCode, 'the database cannot be opened'],
  [15, 'the database is locked'],
  [26, damaged],
])

/** Disk and lock errors become `Unavailable`. Any other error is a bug and is returned unchanged. */
export function asUnavailable(error: unknown): unknown {
  const code = (error as { errcode?: number }).errcode
  const reason = code === undefined ? undefined : unavailableCodes.get(code & primaryCode)
  return reason === undefined ? error : new Unavailable(inSqlite(reason), { cause: error })
}

const inSqlite = (reason: string) => `SQLite: ${reason}`

/** Also of an error from another thread, which comes without its cause. */
export function isOfDamage(error: unknown): boolean {
  return error instanceof Unavailable && error.message === inSqlite(damaged)
}
