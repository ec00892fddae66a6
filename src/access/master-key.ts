import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolders } from '../make-folders.ts'
import { syncFolder } from '../sync-folder.ts'
import { seal, unseal } from './seal.ts'

const masterKeyBytes = 32
const knownText = 'the master key of this ledger'

/** 32 bytes in base64, or null. */
export function parseMasterKey(text: string): Uint8Array | null {
  const key = Buffer.from(text, 'base64')
  return key.length === masterKeyBytes && key.toString('base64') === text.trim() ? key : null
}

/** The master key of an embedded ledger, created on first use beside the database, readable by its owner only. */
export function masterKeyFromFile(path: string): Uint8Array {
  if (!existsSync(path)) createKeyFile(path)
  return readKeyFile(path)
}

/** Refuses a key file that other users could have read or written, because the key decrypts every partner's secret. */
export function readKeyFile(path: string): Uint8Array {
  const stat = statSync(path)
  if (!stat.isFile()) throw new WrongMasterKey(`${path} is not a file: restore the key from a backup`)
  const text = readFileSync(path, 'utf8')
  const problem = keyFileProblem(stat, process.geteuid!())
  if (problem !== null) throw new WrongMasterKey(`${path} ${problem}`)
  const key = parseMasterKey(text.trim())
  if (key === null) {
    throw new WrongMasterKey(`${path} does not hold 32 bytes in base64: restore it from a backup`)
  }
  return key
}

const forOthers = 0o077
const root = 0

/** Root may use any user's ledger, and every user trusts files of root. */
export function keyFileProblem({ mode, uid }: { mode: number; uid: number }, us: number): string | null {
  if ((mode & forOthers) !== 0) {
    return `can be read or changed by other users (mode ${(mode & 0o777).toString(8)}): run chmod 600 on it, and if they are not trusted, set up new keys for all partners`
  }
  if (us !== root && uid !== us && uid !== root) {
    return `belongs to another user (${uid}, and this is ${us}): run it as that user, or give it its own copy`
  }
  return null
}

/** Creates the file atomically and never overwrites a key. If two processes race, both use the first one's key. */
function createKeyFile(path: string): void {
  makeFolders(resolve(dirname(path)))
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, `${randomBytes(masterKeyBytes).toString('base64')}\n`, { mode: 0o600, flush: true })
    linkUnlessThere(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
  // The directory entry must survive a power cut, too, because the ledger will accept no other key.
  syncFolder(dirname(path))
}

/** Another process may be first, or the file cannot be created: reading it will show which. */
function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch {}
}

export class WrongMasterKey extends Error {}

/** Values that are written once: the first writer's value stays, and everyone gets it. */
export type WriteOnceValues = {
  putIfAbsent(name: string, value: Uint8Array): Promise<Uint8Array>
  hasValue(name: string): Promise<boolean>
}

const checkName = 'master-key-check'

/** A database stores a check of the key it was first opened with. Another key could not decrypt its secrets. */
export async function proveMasterKey(store: WriteOnceValues, masterKey: Uint8Array): Promise<void> {
  assertSealedUnder(
    masterKey,
    checkName,
    await store.putIfAbsent(checkName, seal(masterKey, knownText, checkName)),
  )
}

/** A new ledger has no check yet. */
export function hasMasterKey(store: WriteOnceValues): Promise<boolean> {
  return store.hasValue(checkName)
}

/** Whether a stored value was made with this master key. Names that do not depend on the key always match. */
export function assertSealedUnder(masterKey: Uint8Array, name: string, value: Uint8Array): void {
  if (name !== checkName) return
  try {
    unseal(masterKey, value, checkName)
  } catch {
    throw new WrongMasterKey(
      "the master key is not the one this database was made with: set MASTER_KEY to that one, or restore the data folder's master.key",
    )
  }
}

/** The master key of an embedded ledger: the one in its file, or a new one for a new ledger. */
export async function fileMasterKey(store: WriteOnceValues, path: string): Promise<Uint8Array> {
  if (!existsSync(path) && (await hasMasterKey(store))) {
    throw new WrongMasterKey(`${path} is missing: restore it, or set MASTER_KEY to what it held`)
  }
  return masterKeyFromFile(path)
}
