import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { Database } from '../database.ts'

/** `isServed` holds the lock for less than a millisecond, but on a busy machine its process may lose the core meanwhile. */
const glanceMaxMs = 1_000

/**
 * One server per file: two of them would only wait for each other's writes. The lock is an exclusive transaction on a
 * small database beside the ledger, so the system releases it with the process, kill -9 included.
 */
export function lockForServing(path: string): { release(): void } {
  const file = `${path}-server`
  // Readable by the owner only, like every file beside a ledger; older versions created it with wider permissions.
  // Opened only to create it: closing it would release a lock that this process already has on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const lock = new Database(file, { timeout: glanceMaxMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== 5) throw error
    throw new Error(
      `another server is running on ${path}: stop it first, or give this one its own DATABASE_URL`,
    )
  }
  return { release: () => lock.close() }
}

/** Whether a server holds the lock. Does not try to take it. */
export function isServed(path: string): boolean {
  const file = `${path}-server`
  if (!existsSync(file)) return false
  const lock = new Database(file, { readOnly: true, timeout: 0 })
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== 5) throw error
    return true
  } finally {
    lock.close()
  }
}
