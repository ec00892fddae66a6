import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Extent, extents } from '../../proof/verification.ts'
import { syncFolder } from '../../sync-folder.ts'
import type { RecordResult } from '../verify-record.ts'
import { type SystemLock, takeSystemLock } from './file/system-lock.ts'

/** Beside the database, whatever link leads to it: a server reads it, and the ledger itself is not written to. */
const recordOf = (path: string) => `${existsSync(path) ? realpathSync(path) : path}-verified`

type Recorded = {
  /** Null: never, as far as it is known. */
  verifiedAt: number | null
  /** When a later `verify` found it not sound. */
  notSoundAt: number | null
  /** Only a `verify` that checks as much as this clears it. */
  notSoundIn: Extent
}

export async function beginVerifyRecord(path: string): Promise<RecordResult> {
  const { notSoundAt: seen } = await readRecord(path)
  return async ({ sound, extent }, at) =>
    alone(path, () => {
      const known = readRecordNow(path)
      const next = sound ? afterSound(known, { extent, at, seen }) : afterNotSound(known, { extent, at })
      write(path, next)
      return next.notSoundAt === null
    })
}

type Result = { extent: Extent; at: number }

function afterSound(known: Recorded, { extent, at, seen }: Result & { seen: number | null }): Recorded {
  const clears = known.notSoundAt === seen && reaches(extent, known.notSoundIn)
  return { ...known, verifiedAt: at, notSoundAt: clears ? null : known.notSoundAt }
}

/** A fault that is still on record may be another one, and deeper. */
function afterNotSound(known: Recorded, { extent, at }: Result): Recorded {
  const isDeeper = known.notSoundAt !== null && reaches(known.notSoundIn, extent)
  return { ...known, notSoundAt: at, notSoundIn: isDeeper ? known.notSoundIn : extent }
}

function reaches(one: Extent, other: Extent): boolean {
  return extents.indexOf(one) >= extents.indexOf(other)
}

/** Recording a result takes milliseconds. */
const lockMaxMs = 5_000

/** `work` does not wait for anything: meanwhile, another one of this process would. */
function alone<T>(path: string, work: () => T): T {
  const file = `${recordOf(path)}.lock`
  createLock(path, file)
  const lock = take(file)
  try {
    return work()
  } finally {
    lock.release()
  }
}

function take(file: string): SystemLock {
  let lock: SystemLock | null
  try {
    lock = takeSystemLock(file, lockMaxMs)
  } catch (error) {
    const { message } = error as Error
    throw new Error(message.startsWith(file) ? message : `${file}: ${message}`, { cause: error })
  }
  if (lock === null) throw new Error(`${file}: another process has locked it`)
  return lock
}

/** With the owner of the database. */
function createLock(path: string, file: string): void {
  try {
    createFor(path, file, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function write(path: string, content: Recorded): void {
  const draft = `${recordOf(path)}.new`
  rmSync(draft, { force: true })
  try {
    createFor(path, draft, JSON.stringify(content))
    renameSync(draft, recordOf(path))
    // A power cut must not take a NOT SOUND back.
    syncFolder(dirname(recordOf(path)))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** A new file, never through a link: root may run verify in the folder of a user who has fewer rights. */
function createFor(path: string, file: string, content: string): void {
  const created = openSync(file, 'wx', 0o600)
  try {
    if (process.getuid?.() === 0) {
      // The server reads it as the owner of the database. By its handle: the name may be a link by now.
      const { uid, gid } = statSync(path)
      fchownSync(created, uid, gid)
    }
    writeFileSync(created, content, { flush: true }) // last: the sync includes the owner
  } finally {
    closeSync(created)
  }
}

/** A pipe in its place would never be opened otherwise, or never end. */
const plainly = constants.O_RDONLY | constants.O_NONBLOCK

export async function readRecord(path: string): Promise<Recorded> {
  return recordedIn(await readFile(recordOf(path), { encoding: 'utf8', flag: plainly }).catch(() => ''))
}

function readRecordNow(path: string): Recorded {
  try {
    return recordedIn(readFileSync(recordOf(path), { encoding: 'utf8', flag: plainly }))
  } catch {
    return recordedIn('')
  }
}

/** Nulls: there was none yet, or the file is not ours. */
function recordedIn(text: string): Recorded {
  try {
    const { verifiedAt, notSoundAt, notSoundIn } = JSON.parse(text)
    return {
      verifiedAt: timeOrNull(verifiedAt),
      notSoundAt: timeOrNull(notSoundAt),
      // Older versions did not write it: then anything may have been wrong.
      notSoundIn: extents.includes(notSoundIn) ? notSoundIn : 'file',
    }
  } catch {
    return { verifiedAt: null, notSoundAt: null, notSoundIn: 'file' }
  }
}

function timeOrNull(time: unknown): number | null {
  return Number.isSafeInteger(time) ? (time as number) : null
}
