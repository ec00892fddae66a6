import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs'
import { Database } from '../database.ts'
import { isBusy } from '../until-not-busy.ts'
import { assertMayWrite } from './permitted.ts'
import { identityOf } from './same-file.ts'

/**
 * Others hold the lock for less than a millisecond when they only look, or when they ask at the same time and must not both
 * be refused. But on a busy machine their process may lose the core meanwhile.
 */
const glanceMaxMs = 1_000

/** `identity`: of the file that is locked. */
export type SystemLock = { identity: string; release(): void }

/**
 * One process at a time, by an exclusive transaction on a small database, which is created where it is missing and stays: two
 * processes must not lock two files of one name. The system ends the transaction with its process, kill -9 included.
 * Null: another process has the lock.
 */
export function takeSystemLock(file: string, waitMaxMs = glanceMaxMs): SystemLock | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  // Root may run this in the folder of a user who has fewer rights.
  if (found?.isSymbolicLink()) throw new Error(`${file} is a link: remove it`)
  // Readable by the owner only. Opened only to create it: closing it would release a lock that this process has on it.
  if (found === undefined) closeSync(openSync(file, 'a', 0o600))
  else {
    assertMayWrite(file)
    // A database that keeps a log would let a second process in: it does not lock out whoever has the file open.
    if (found.size > 0) {
      if (isLocked(file)) return null
      throw new Error(`${file} has content, and it is ours and always empty: remove it`)
    }
    if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600) // older versions created it with wider permissions
  }
  const identity = identityOf(file)
  const lock = new Database(file, { timeout: waitMaxMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    return null
  }
  if (identityOf(file) === identity) return { identity, release: () => lock.close() }
  // Somebody has removed the file that we waited for: whoever made it again has the lock.
  lock.close()
  return takeSystemLock(file, waitMaxMs)
}

/** Whether a process has the lock. Does not try to take it. */
export function isLocked(file: string): boolean {
  const lock = new Database(file, { readOnly: true, timeout: 0 })
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    // Nobody takes the lock of a file with content, and what SQLite says of it would be taken for damage of the ledger.
    if (lstatSync(file).size > 0) return false
    throw error
  } finally {
    lock.close()
  }
}
