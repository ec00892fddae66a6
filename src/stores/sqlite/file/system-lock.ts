import { closeSync, existsSync, openSync } from 'node:fs'
import { Database } from '../database.ts'

const busy = 5

export type SystemLock = { release(): void }

/**
 * One process at a time, by an exclusive transaction on a small database, which is created where it is missing and stays: two
 * processes must not lock two files of one name. The system ends the transaction with its process, kill -9 included.
 * Null: another process has the lock.
 */
export function takeSystemLock(file: string, waitMaxMs: number): SystemLock | null {
  // Readable by the owner only. Opened only to create it: closing it would release a lock that this process has on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const lock = new Database(file, { timeout: waitMaxMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    return null
  }
}
