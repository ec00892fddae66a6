import { existsSync } from 'node:fs'
import { Database } from '../database.ts'
import { isBusy } from '../until-not-busy.ts'
import { assertMayRead } from './permitted.ts'
import { type SystemLock, takeSystemLock } from './system-lock.ts'

/** One server per file: two of them would only wait for each other's writes. */
export function lockForServing(path: string): SystemLock {
  const lock = takeSystemLock(`${path}-server`)
  if (lock !== null) return lock
  throw new Error(
    `another server is running on ${path}: stop it first, or give this one its own DATABASE_URL`,
  )
}

/** Whether a server holds the lock. Does not try to take it. */
export function isServed(path: string): boolean {
  const file = `${path}-server`
  if (!existsSync(file)) return false
  assertMayRead(file)
  const lock = new Database(file, { readOnly: true, timeout: 0 })
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (!isBusy(error)) throw error
    return true
  } finally {
    lock.close()
  }
}
