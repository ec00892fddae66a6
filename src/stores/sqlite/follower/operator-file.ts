import { chmodSync, closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { Unavailable } from '../../../ledger/errors.ts'
import { type AppliedMigration, pendingMigrations, readMigrations } from '../../migrations.ts'
import { Database, inTransaction } from '../database.ts'

/** Beside the database. It has nothing that cannot be lost: the journal, and what can be read again from the ledger. */
export const operatorFileOf = (path: string) => `${path}-operator`
/** The last one that could not be used, for whoever wants to look at it. */
const setAsideOf = (file: string) => `${file}-damaged`

const companions = ['', '-wal', '-shm', '-journal']
const folder = new URL('./migrations/', import.meta.url)
const busyTimeoutMs = 2_000

type Open<Prepared> = { database: Database; identity: string; prepared: Prepared }

/**
 * The open file, with the statements that `prepare` makes for it. It is opened again when it was deleted or replaced, and
 * begins again when it is damaged or from a newer version. `warn` says so.
 */
export class OperatorFile<Prepared> {
  readonly #file: string
  readonly #prepare: (database: Database) => Prepared
  readonly #warn: (message: string) => void
  #open: Open<Prepared> | null = null

  constructor(
    ledgerPath: string,
    { prepare, warn }: { prepare(database: Database): Prepared; warn(message: string): void },
  ) {
    this.#file = operatorFileOf(ledgerPath)
    this.#prepare = prepare
    this.#warn = warn
  }

  /** `work` is done a second time, on a new file, if it finds the first one damaged. Throws if the disk does not allow it. */
  use<T>(work: (prepared: Prepared) => T): T {
    try {
      return work(this.#current())
    } catch (error) {
      const reason = unusable(error)
      if (reason === null) throw error
      if (this.#isStillThere()) this.#setAside(reason)
      else this.close()
      return work(this.#current())
    }
  }

  #current(): Prepared {
    if (this.#open !== null && this.#open.identity !== this.#identity()) {
      this.#warn(`${this.#file} was removed or replaced: it is opened again`)
      this.close()
    }
    this.#open ??= this.#openFile()
    return this.#open.prepared
  }

  /** Another thread may have begun a new one meanwhile, which must not be set aside, too. */
  #isStillThere(): boolean {
    return this.#open === null || this.#open.identity === this.#identity()
  }

  #setAside(reason: string): void {
    this.close()
    const aside = setAsideOf(this.#file)
    for (const companion of companions) rmSync(`${aside}${companion}`, { force: true, recursive: true })
    for (const companion of companions) {
      if (lstatSync(`${this.#file}${companion}`, { throwIfNoEntry: false }) !== undefined)
        renameSync(`${this.#file}${companion}`, `${aside}${companion}`)
    }
    this.#warn(`${this.#file} cannot be used (${reason}): it is now ${aside}, and a new one begins`)
  }

  close(): void {
    const { database } = this.#open ?? {}
    this.#open = null
    try {
      database?.close()
    } catch {
      // It is being given up, or ends with the process.
    }
  }

  #openFile(): Open<Prepared> {
    const stat = lstatSync(this.#file, { throwIfNoEntry: false })
    if (stat !== undefined && (!stat.isFile() || stat.nlink > 1)) throw new Unusable('it is not a plain file')
    this.#makeOurs(stat === undefined)
    const database = new Database(this.#file, { timeout: busyTimeoutMs })
    try {
      database.exec(settings)
      migrate(database)
      return { database, prepared: this.#prepare(database), identity: this.#identity() }
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Readable by the owner only, before SQLite writes the first byte. To close it later would release SQLite's locks. */
  #makeOurs(isNew: boolean): void {
    try {
      if (isNew) closeSync(openSync(this.#file, 'a', 0o600))
      chmodSync(this.#file, 0o600)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const advice = 'its folder must be there, and both must belong to the user who runs the server'
      throw new Unavailable(`${basename(this.#file)} cannot be opened (${code}): ${advice}`, { cause: error })
    }
  }

  /** The file and its log: one without the other is not what we have open. */
  #identity(): string {
    return ['', '-wal']
      .map((companion) => {
        const stat = lstatSync(`${this.#file}${companion}`, { bigint: true, throwIfNoEntry: false })
        return stat === undefined ? 'gone' : `${stat.dev} ${stat.ino}`
      })
      .join(' ')
  }
}

/** NORMAL: a power cut may lose the last batches, and never damages the file. A kill loses none that was written. */
const settings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA cache_size = -4096;
`

class Unusable extends Error {}

const primaryCode = 0xff
const corrupt = 11
const notADatabase = 26

/** Why the file can never be used again; null: it can, or the error says nothing about it. */
export function unusable(error: unknown): string | null {
  if (error instanceof Unusable) return error.message
  const code = ((error as { errcode?: number }).errcode ?? 0) & primaryCode
  return code === corrupt || code === notADatabase ? 'it is damaged' : null
}

function migrate(database: Database): void {
  inTransaction(database, () => {
    database.exec(
      'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT',
    )
    const applied = database.prepare('SELECT name, sha256 FROM migrations').all() as AppliedMigration[]
    for (const { name, sha256, sql } of pendingOn(applied)) {
      database.exec(sql)
      database.prepare('INSERT INTO migrations (name, sha256) VALUES (?, ?)').run(name, sha256)
    }
  })
}

function pendingOn(applied: AppliedMigration[]) {
  try {
    return pendingMigrations(readMigrations(folder), applied)
  } catch (error) {
    throw new Unusable((error as Error).message)
  }
}
