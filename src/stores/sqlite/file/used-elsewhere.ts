import { existsSync, statSync } from 'node:fs'
import { isBusy, untilNotBusy } from '../until-not-busy.ts'
import { hasContent } from './has-content.ts'

/** A connection that does not wait for locks. */
type Attempt = { exec(sql: string): void; close(): void }

/**
 * A ledger that was moved from a running server is still open there, and its newest awards are in the log beside its old
 * name. Whoever opened it here would not know them, and both would write. While a connection is open under this name,
 * SQLite keeps a log and its index beside it. So without these, nobody may have the file open at all: each connection has
 * a lock on the file itself, wherever that was moved to. In this locking mode, reading a database that has a log needs
 * all of it.
 */
export function assertNotUsedElsewhere(file: string, open: (file: string) => Attempt): void {
  if (isUsedHere(file) || statSync(file).size === 0) return
  const attempt = open(file)
  try {
    attempt.exec('PRAGMA locking_mode = EXCLUSIVE')
    untilNotBusy(() => {
      if (!isUsedHere(file)) attempt.exec('SELECT count(*) FROM sqlite_schema')
    })
  } catch (error) {
    if (isBusy(error)) throw new Error(usedElsewhere, { cause: error })
    // Whoever may only read it cannot lock it. What else is wrong, the opening itself will say.
  } finally {
    attempt.close()
  }
}

/** By a process that is running, or by one that was killed: then the log is beside it, with its newest awards. */
function isUsedHere(file: string): boolean {
  return hasContent(`${file}-wal`) || (existsSync(`${file}-wal`) && existsSync(`${file}-shm`))
}

const usedElsewhere =
  'another process has it open under another name: it was moved while that process was running. Move it back, because the log (-wal) beside its old name has its newest awards, and stop that process before you move it again'
