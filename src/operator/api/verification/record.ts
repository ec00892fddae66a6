import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { DatabaseLocation } from '../../../stores/open.ts'

/** What the process that verifies is told. */
export type VerificationOrder = { database: DatabaseLocation; startedBy: string; startedAt: number }

/** A verification that was started from the API. */
export type VerificationRun = {
  startedAt: number
  startedBy: string
  /** Null while it runs. */
  endedAt: number | null
  state: 'running' | 'sound' | 'not sound' | 'failed'
  entries: number
  accounts: number
  userDays: number
  /** What is wrong with the ledger, or why the run failed. */
  problem: string | null
}

export type RunningVerification = VerificationRun & {
  /** See `identityOf`. */
  process: string
  step: string
  /** Of the step, from 0 to 1. */
  done: number
  /** How long the step has taken so far. */
  stepSeconds: number
}

/** What all processes of this machine know of the verifications of one ledger. */
export type VerificationRecord = { current: RunningVerification | null; earlier: VerificationRun[] }

const earlierMax = 20

/**
 * Where the record is: beside an embedded ledger; otherwise in a folder of this user for temporary files. The process that
 * verifies is the only one that writes it. If it is lost, only the list of earlier runs is.
 */
export function recordFileOf(database: DatabaseLocation): string {
  if (database.kind === 'sqlite') return `${database.path}-verification`
  const name = createHash('sha256').update(database.url).digest('hex').slice(0, 16)
  return join(ownFolder(), `verification-${name}`)
}

/** Of the process that verifies. */
export const lockFileOf = (database: DatabaseLocation) => `${recordFileOf(database)}.lock-db`

/** In a folder that all may write to, another user may have made it first. */
function ownFolder(): string {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `partner-credit-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid)
    throw new Error(`${folder} belongs to another user: remove it, or set TMPDIR`)
  return folder
}

export async function readRecord(file: string): Promise<VerificationRecord> {
  try {
    const { current, earlier } = JSON.parse(await readFile(file, 'utf8')) as VerificationRecord
    return { current, earlier: earlier.slice(0, earlierMax) }
  } catch {
    return { current: null, earlier: [] }
  }
}

export async function writeRecord(file: string, { current, earlier }: VerificationRecord): Promise<void> {
  const draft = `${file}.new`
  // A new file, never through a link.
  await rm(draft, { force: true })
  await writeFile(draft, JSON.stringify({ current, earlier: earlier.slice(0, earlierMax) }), {
    mode: 0o600,
    flag: 'wx',
  })
  await rename(draft, file)
}

/**
 * Names a process: its number and, where the system says it, when it began, because numbers are used again. Null: there is
 * no such process, or it has ended and nobody has asked how. The latter stay for ever below a parent that did not start them,
 * such as a supervisor that is the first process of its container.
 */
export function identityOf(pid: number): string | null {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields behind the name of the program, which may have spaces in it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : `${pid} ${fields[19]}`
  } catch {
    return String(pid)
  }
}

export function isRunning(identity: string): boolean {
  const pid = Number(identity.split(' ', 1)[0])
  return Number.isSafeInteger(pid) && pid > 0 && identityOf(pid) === identity
}

/** A run whose process is gone. */
export function abandoned(running: RunningVerification): VerificationRun {
  const { process: _process, step: _step, done: _done, stepSeconds: _seconds, ...run } = running
  return { ...run, state: 'failed', problem: 'its process ended before it was finished: start it again' }
}
