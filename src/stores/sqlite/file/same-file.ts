import { lstatSync, realpathSync, statSync } from 'node:fs'
import { Unavailable } from '../../../ledger/errors.ts'
import { asUnavailable, type Database, openDatabase } from '../database.ts'
import { secondName } from './one-name.ts'

/** The file that a path names now, identified by device and inode. `realPath`: beside it are its log and its lock. */
export type SameFile = { path: string; realPath: string; identity: string }

export function sameFile(path: string): SameFile {
  const identity = identityOf(path)
  return { path, realPath: identity === gone ? path : realpathSync(path), identity }
}

/** `gone` where there is no file. */
export function identityOf(path: string): string {
  const found = lookAt(path)
  if (found instanceof Unavailable) throw found
  return found.identity
}

/** Another program may have written to a file that was moved away. Even if it is put back, it must be opened again. */
export class Moved extends Unavailable {}

/**
 * Writes to a file that was replaced, or that has a second log under a second name, would be lost. Whoever opens it by a link
 * that somebody left where it was has another log, too.
 */
export function fileProblem({ path, realPath, identity }: SameFile): Unavailable | null {
  const found = lookAt(path)
  if (found instanceof Unavailable) return found
  const inPlace = lookAt(realPath, lstatSync)
  if (inPlace instanceof Unavailable) return inPlace
  if (found.identity !== identity || inPlace.identity !== identity) {
    return new Moved(fileGone, { forPartners })
  }
  return found.names === 1 ? null : new Unavailable(secondName(found.names), { forPartners })
}

/** The log and its index, which SQLite keeps beside the real file while a connection is open. */
export function logFiles(path: string): SameFile[] {
  const file = realpathSync(path)
  return [sameFile(`${file}-wal`), sameFile(`${file}-shm`)]
}

/** A log that was removed is still written to, and would be gone with the process. */
export function logProblem(logs: SameFile[]): Unavailable | null {
  for (const { path, identity } of logs) {
    const found = lookAt(path)
    if (found instanceof Unavailable) return found
    if (found.identity !== identity) return new Moved(logGone, { forPartners })
  }
  return null
}

/** What is wrong with the file, and what to do, is for the operator: the log and the operator's readyz say it. */
export const forPartners = 'the database cannot be used at the moment'

const fileGone =
  'the database file was moved or replaced: put it back, because the log (-wal) beside its old name has its newest awards, and restart the server'

const logGone =
  'the log of the database was removed or replaced: stop the server with SIGTERM, so that it copies the log into the database, and start it again'

export function assertSameFile(file: SameFile): void {
  const problem = fileProblem(file)
  if (problem !== null) throw problem
}

/** For threads that start later: they must not create a new file at the path, nor open another file beside our log. */
export function openSameFile(file: SameFile, options?: { readOnly: boolean }): Database {
  assertSameFile(file)
  try {
    return openDatabase(file.path, options)
  } catch (error) {
    const { cause } = error as Error
    // The message names the path, which partners must not see: it stays in the cause.
    if (cause?.constructor === Error && !('errcode' in cause)) {
      throw new Unavailable('the database file cannot be used', { cause })
    }
    throw asUnavailable(cause)
  }
}

const gone = 'gone'

function lookAt(path: string, look = statSync): { identity: string; names: number } | Unavailable {
  try {
    // In some file systems neighbors differ only in digits that a number does not have.
    const { dev, ino, nlink } = look(path, { bigint: true })
    return { identity: `${dev} ${ino}`, names: Number(nlink) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { identity: gone, names: 0 }
    return new Unavailable(`the database file cannot be examined (${code})`, { cause: error, forPartners })
  }
}
