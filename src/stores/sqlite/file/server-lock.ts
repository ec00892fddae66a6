import { existsSync } from 'node:fs'
import { Unavailable } from '../../../ledger/errors.ts'
import { assertMayRead } from './permitted.ts'
import { fileProblem, forPartners, identityOf, sameFile } from './same-file.ts'
import { isLocked, type SystemLock, takeSystemLock } from './system-lock.ts'

/** One server per file: two of them would only wait for each other's writes. */
export function lockForServing(path: string): SystemLock {
  const lock = takeSystemLock(`${path}-server`)
  if (lock !== null) return lock
  throw new Error(
    `another server is running on ${path}: stop it first, or give this one its own DATABASE_URL`,
  )
}

type PlaceOfServer = { problem(): Unavailable | null; release(): void }

const lookEveryMs = 1_000
const waitMaxMs = 50

/**
 * The same for as long as a server runs. Somebody may remove the file as one that was left behind, and then a second
 * server could start: so it is made and locked again. Where a second one was faster, this one stops to award.
 */
export function keepPlaceOfServer(path: string): PlaceOfServer {
  const file = `${path}-server`
  const ledger = sameFile(path)
  let lock: SystemLock | null = lockForServing(path)
  let lost = ''
  function look(): void {
    try {
      if (lock !== null && lock.identity === identityOf(file)) return
      if (fileProblem(ledger) !== null) return // it was moved, perhaps together with the file that we have locked
      const again = takeSystemLock(file, waitMaxMs)
      lock?.release()
      lock = again
      lost = placeLost(file)
    } catch (error) {
      // While it has a lock: the folder may be gone, or the disk full, and the ledger says more about it.
      lost = (error as Error).message
    }
  }
  const timer = setInterval(look, lookEveryMs)
  timer.unref()
  return {
    problem: () => (lock === null ? new Unavailable(lost, { forPartners }) : null),
    release() {
      clearInterval(timer)
      lock?.release()
    },
  }
}

const placeLost = (file: string) =>
  `${file} was removed while this server was running, and another one has started on the ledger: stop one of the two`

/** Whether a server holds the lock. Does not try to take it. */
export function isServed(path: string): boolean {
  const file = `${path}-server`
  if (!existsSync(file)) return false
  assertMayRead(file)
  return isLocked(file)
}
