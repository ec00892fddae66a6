import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** Beside the database: a server reads it, and the ledger itself is not written to. */
const recordOf = (path: string) => `${path}-verified`

/** That `verify` found the ledger sound at this time. The server may run as another user, so that all may read it. */
export async function recordVerified(path: string, at: number): Promise<void> {
  const record = recordOf(path)
  const draft = `${record}.new`
  // A new file, never through a link: root may run verify in the folder of a user who has fewer rights.
  await rm(draft, { force: true })
  await writeFile(draft, JSON.stringify({ verifiedAt: at }), { mode: 0o644, flag: 'wx' })
  await rename(draft, record)
}

/** Null: there was none yet, or the file is not ours. */
export async function readVerifiedAt(path: string): Promise<number | null> {
  try {
    const { verifiedAt } = JSON.parse(await readFile(recordOf(path), 'utf8'))
    return Number.isSafeInteger(verifiedAt) ? verifiedAt : null
  } catch {
    return null
  }
}
