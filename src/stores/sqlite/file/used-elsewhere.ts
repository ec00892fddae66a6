import { existsSync, statSync } from 'node:fs'
import { busyError, isBusy, untilNotBusy } from '../until-not-busy.ts'
import { hasContent } from './has-content.ts'
import { lockHolders } from './lock-holders.ts'

/** A connection that does not wait for locks. */
type Attempt = { exec(sql: string): void; close(): void }

/**
 * A ledger that was moved from a running server is still open there, and its newest awards are in the log beside its old
 * name. Whoever opened it here would not know them, and both would write. Each connection has a lock on the file itself,
 * wherever that is moved to. So the file must not be locked by anybody, except by those who use it under this name.
 */
export function assertNotUsedElsewhere(file: string, open: (file: string) => Attempt): void {
  if (statSync(file).size === 0) return
  try {
    untilNotBusy(() => {
      if (isUsedHere(file)) return
      if (!hasContent(`${file}-wal`)) readAlone(open(file))
      // A log may have been moved after it, without its index. An attempt would copy that log, and may fill the disk.
      else if (lockHolders(file).size > 0) throw busyError()
    })
  } catch (error) {
    if (isBusy(error)) throw new Error(usedElsewhere, { cause: error })
    // Whoever may only read it cannot lock it. What else is wrong, the opening itself will say.
  }
}

/**
 * The reverse: the ledger that was here is still open, and its log is in use, but now another file has its name. Whoever
 * changed that one would write into the log of the other, and damage it. Each connection has a lock on the file first, and then
 * on the index of the log. So a process that has one on the index only uses it for another file.
 */
export function assertLogIsItsOwn(file: string): void {
  try {
    untilNotBusy(() => {
      if (!lockHolders(indexOf(file)).isSubsetOf(lockHolders(file))) throw busyError()
    })
  } catch (error) {
    throw new Error(logOfAnother, { cause: error })
  }
}

/**
 * In this locking mode, reading a database that has a log needs all of the lock. Closes the connection, which would keep its
 * share: two that begin at the same time would refuse each other.
 */
function readAlone(attempt: Attempt): void {
  try {
    attempt.exec('PRAGMA locking_mode = EXCLUSIVE')
    attempt.exec('SELECT count(*) FROM sqlite_schema')
  } finally {
    attempt.close()
  }
}

/**
 * While a connection is open under this name, it has a lock on the index of the log, too. A process that could not
 * remove these files leaves them without one.
 */
function isUsedHere(file: string): boolean {
  const index = indexOf(file)
  return existsSync(index) && !(lockHolders(file).size > 0 && lockHolders(index).size === 0)
}

const indexOf = (file: string) => `${file}-shm`

const usedElsewhere =
  'another process has it open, but not with the log (-wal and -shm) beside it. If the ledger was moved from a running server, move it back, because that log has the newest awards, and stop the server before you move it again. If the log was removed, stop the server with SIGTERM. If another program has locked the file, end that program'

const logOfAnother =
  'the log (-wal and -shm) beside it is in use for another file, which had this name before. If the ledger was moved or replaced under a running server, put it back, because that log has its newest awards, and stop the server before you move it again'
