import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolders } from '../make-folders.ts'
import { seal, unseal } from './seal.ts'

const masterKeyBytes = 32
const knownText = 'the master key of this ledger'

/** 32 bytes in base64, or null. */
export function parseMasterKey(text: string): Uint8Array | null {
  const key = Buffer.from(text, 'base64')
  return key.length === masterKeyBytes && key.toString('base64') === text.trim() ? key : null
}

/** The embedded ledger's own master key, made on first use beside the database, readable by its owner only. */
export function masterKeyFromFile(path: string): Uint8Array {
  if (!existsSync(path)) createKeyFile(path)
  return readKeyFile(path)
}

/** A key that others could have read, or put there, is not taken silently: it opens every partner's secret. */
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

/** Root may work on everybody's ledger, and is trusted by everybody. */
export function keyFileProblem({ mode, uid }: { mode: number; uid: number }, us: number): string | null {
  if ((mode & forOthers) !== 0) {
    return `can be read or changed by other users (mode ${(mode & 0o777).toString(8)}): run chmod 600 on it, and if they are not trusted, set up new keys for all partners`
  }
  if (us !== root && uid !== us && uid !== root) {
    return `belongs to another user (${uid}, and this is ${us}): run it as that user, or give it its own copy`
  }
  return null
}

/** Whole or not at all, and never over an existing key: whoever comes second finds the first one's. */
function createKeyFile(path: string): void {
  makeFolders(resolve(dirname(path)))
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(masterKeyBytes).toString('base64')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch {
    // Somebody was first, or it cannot be made: reading it will tell.
  } finally {
    rmSync(draft)
  }
  // The name too must be there after a power cut: the ledger will remember this key, and open with no other.
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

export class WrongMasterKey extends Error {}

/** Values that are written once: the first writer's value stays, and everyone gets it. */
export type WriteOnceValues = {
  putIfAbsent(name: string, value: Uint8Array): Promise<Uint8Array>
  hasValue(name: string): Promise<boolean>
}

const checkName = 'master-key-check'

/** A database remembers the key it was first opened with; under any other one its secrets would not open. */
export async function proveMasterKey(store: WriteOnceValues, masterKey: Uint8Array): Promise<void> {
  assertSealedUnder(
    masterKey,
    checkName,
    await store.putIfAbsent(checkName, seal(masterKey, knownText, checkName)),
  )
}

/** Whether what a database keeps under a name was made with this master key; what has nothing to do with it, passes. */
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

/** The master key of an embedded ledger: the one in its file, or for a new ledger a new one. */
export async function fileMasterKey(store: WriteOnceValues, path: string): Promise<Uint8Array> {
  if (!existsSync(path) && (await store.hasValue(checkName))) {
    throw new WrongMasterKey(`${path} is missing: restore it, or set MASTER_KEY to what it held`)
  }
  return masterKeyFromFile(path)
}
