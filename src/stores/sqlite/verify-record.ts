import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Extent, extents } from '../../proof/verification.ts'
import type { RecordResult } from '../verify-record.ts'

/** Beside the database: a server reads it, and the ledger itself is not written to. */
const recordOf = (path: string) => `${path}-verified`

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
  return ({ sound, extent }, at) =>
    alone(path, async () => {
      const known = await readRecord(path)
      const next = sound ? afterSound(known, { extent, at, seen }) : afterNotSound(known, { extent, at })
      await write(path, next)
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

const lockAttempts = 100
const lockPauseMs = 20

/** One process at a time. A lock that stays for seconds is that of a process that was killed: writing takes milliseconds. */
async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${recordOf(path)}.lock`
  for (let attempt = 1; ; attempt++) {
    try {
      await (await open(lock, 'wx', 0o600)).close()
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (attempt % lockAttempts === 0) await rm(lock, { force: true })
    else await sleep(lockPauseMs)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function write(path: string, content: Recorded): Promise<void> {
  const record = recordOf(path)
  const draft = `${record}.new`
  // A new file, never through a link: root may run verify in the folder of a user who has fewer rights.
  await rm(draft, { force: true })
  await using file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(JSON.stringify(content))
    if (process.getuid?.() === 0) {
      // The server reads it as the owner of the database. By its handle: the name may be a link by now.
      const { uid, gid } = await stat(path)
      await file.chown(uid, gid)
    }
    await rename(draft, record)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Nulls: there was none yet, or the file is not ours. */
export async function readRecord(path: string): Promise<Recorded> {
  try {
    const { verifiedAt, notSoundAt, notSoundIn } = JSON.parse(await readFile(recordOf(path), 'utf8'))
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
