import { closeSync, copyFileSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readMigrations } from '../migrations.ts'
import type { Database } from './database.ts'

const magic = 'SQLite format 3\0'

type Open = (file: string, options: { readOnly: boolean }) => Database

/**
 * Whether a file is a ledger, or will be one (it has nothing in it), found out without a trace: nothing is written, no
 * lock is taken and no file is made beside it, as SQLite would when it opens a database that has a log.
 */
export function assertOurs(path: string, open: Open): void {
  if (statSync(path).size === 0) return
  if (firstBytes(path, magic.length) !== magic) throw new Error('it is not a database of SQLite')
  const kindOfFile = () => kindOf(open(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true }))
  let kind = kindOfFile()
  if (kind === 'empty') kind = kindWithLog(path, open) ?? kindOfFile()
  if (kind === 'foreign') throw new Error('it is the database of another program')
}

/**
 * Until it is copied into the database, a ledger that was made a moment ago is in the log: looked at in a copy. Null:
 * the log has just been copied into the database.
 */
function kindWithLog(path: string, open: Open): Kind | null {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-look-'))
  const copy = join(folder, 'copy.db')
  try {
    copyFileSync(`${path}-wal`, `${copy}-wal`)
    copyFileSync(path, copy)
    return kindOf(open(copy, { readOnly: false }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Kind = 'ours' | 'empty' | 'foreign'

/** Every ledger began with the same first migration. Closes the database. */
function kindOf(database: Database): Kind {
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    if (tables.length === 0) return 'empty'
    const first = readMigrations(new URL('./migrations/', import.meta.url))[0]!
    const known = database.prepare('SELECT 1 FROM migrations WHERE name = ? AND sha256 = ?')
    return known.get(first.name, first.sha256) === undefined ? 'foreign' : 'ours'
  } catch (error) {
    if (/no such (table|column)/.test((error as Error).message)) return 'foreign'
    throw error
  } finally {
    database.close()
  }
}

function firstBytes(path: string, count: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(count)
    readSync(file, bytes, 0, count, 0)
    return bytes.toString('latin1')
  } finally {
    closeSync(file)
  }
}
