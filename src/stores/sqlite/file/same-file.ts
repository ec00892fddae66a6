import { statSync } from 'node:fs'
import { Unavailable } from '../../../ledger/errors.ts'
import { asUnavailable, type Database, openDatabase } from '../database.ts'
import { secondName } from './one-name.ts'

/** The file that a path leads to at this moment. */
export type SameFile = { path: string; identity: string }

export function sameFile(path: string): SameFile {
  const found = lookAt(path)
  if (found instanceof Unavailable) throw found
  return { path, identity: found.identity }
}

/** Where a file was moved away, somebody may have written to it: put back, it need not be what we know of it. */
export class Moved extends Unavailable {}

/** What is written to a file that nobody opens again, or that has a second log under a second name, is lost. */
export function fileProblem({ path, identity }: SameFile): Unavailable | null {
  const found = lookAt(path)
  if (found instanceof Unavailable) return found
  if (found.identity !== identity) {
    return new Moved('the database file was moved or replaced: restart the server')
  }
  return found.names === 1 ? null : new Unavailable(secondName(found.names))
}

export function assertSameFile(file: SameFile): void {
  const fault = fileProblem(file)
  if (fault !== null) throw fault
}

/** For threads that start later: they shall not make a new file where ours was, nor open another's beside our log. */
export function openSameFile(file: SameFile, options?: { readOnly: boolean }): Database {
  assertSameFile(file)
  try {
    return openDatabase(file.path, options)
  } catch (error) {
    const { cause } = error as Error
    // What is wrong with the file, and not with SQLite, is said with its path: that is for whoever opens it first.
    if (cause?.constructor === Error && !('errcode' in cause)) {
      throw new Unavailable('the database file cannot be used', { cause })
    }
    throw asUnavailable(cause)
  }
}

function lookAt(path: string): { identity: string; names: number } | Unavailable {
  try {
    const { dev, ino, nlink } = statSync(path)
    return { identity: `${dev} ${ino}`, names: nlink }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { identity: 'gone', names: 0 }
    return new Unavailable(`the database file cannot be looked at (${code})`, { cause: error })
  }
}
