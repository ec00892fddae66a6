import { open, readFile, rename, rm, stat } from 'node:fs/promises'

/** Beside the database: a server reads it, and the ledger itself is not written to. */
const recordOf = (path: string) => `${path}-verified`

type Recorded = {
  /** Null: never, as far as it is known. */
  verifiedAt: number | null
  /** When a later `verify` found it not sound. */
  notSoundAt: number | null
}

/** That `verify` found the ledger sound at this time. What a whole one found not sound, only a whole one clears. */
export async function recordVerified(path: string, at: number, { isWhole = true } = {}): Promise<void> {
  await write(path, { verifiedAt: at, notSoundAt: isWhole ? null : await readNotSoundAt(path) })
}

export async function recordNotSound(path: string, at: number): Promise<void> {
  await write(path, { verifiedAt: await readVerifiedAt(path), notSoundAt: at })
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

/** Null: there was none yet, or the file is not ours. */
export async function readVerifiedAt(path: string): Promise<number | null> {
  return readTime(path, 'verifiedAt')
}

/** Null: no `verify` has found it not sound since one found it sound. */
export async function readNotSoundAt(path: string): Promise<number | null> {
  return readTime(path, 'notSoundAt')
}

async function readTime(path: string, name: keyof Recorded): Promise<number | null> {
  try {
    const time = JSON.parse(await readFile(recordOf(path), 'utf8'))[name]
    return Number.isSafeInteger(time) ? time : null
  } catch {
    return null
  }
}
