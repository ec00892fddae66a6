import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { hasContent } from './has-content.ts'

/**
 * SQLite finds the log of a ledger by the ledger's name. A program that opens the same bytes under a second name, a hard link
 * or a bind mount of the single file, has a second log and a second lock: both would write, and one side's writes would
 * be lost. So a ledger must have exactly one name. (A symbolic link is resolved first, so it does not count.)
 */
export function assertOneName(path: string): void {
  const file = realpathSync(path)
  const stat = statSync(file)
  if (!stat.isFile()) throw new Error('it is not a file')
  if (stat.nlink > 1) throw new Error(secondName(stat.nlink))
  const mounts = mountPoints()
  if (mounts.has(file)) throw new Error(mountAdvice)
  for (const companion of companions) assertPlain(`${file}${companion}`, mounts)
  assertLogMoved(path, file)
}

/** What SQLite and we keep beside a ledger. */
const companions = ['-wal', '-shm', '-journal', '-server']

export function secondName(links: number): string {
  return `the file has ${links} names (hard links), and each would have a log of its own: remove all but one`
}

const mountAdvice =
  'the file is mounted by itself, and has another name where it comes from: mount the folder that it is in'

/** A log or a lock file must not be shared with another ledger. */
function assertPlain(path: string, mounts: Set<string>): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isFile() || stat.nlink > 1 || mounts.has(path)) {
    throw new Error(
      `${path} is a link, a mount of its own or no file at all: it has to be a plain file beside the ledger`,
    )
  }
}

/**
 * Whoever moves a ledger and leaves a link where it was may forget its log. It has the newest awards of a killed server. The
 * link may itself be opened by another one.
 */
function assertLogMoved(path: string, file: string): void {
  for (let name = path; lstatSync(name).isSymbolicLink(); name = targetOf(name)) {
    const log = `${name}-wal`
    if (hasContent(log) && realpathSync(log) !== `${file}-wal`)
      throw new Error(
        `${name} is a link, and beside it is a log (${log}). If ${file} was moved from here, move the log beside it. If that is another file, such as a restored backup, or something was written to it without this log, remove the log`,
      )
  }
}

/** Not normalized: behind a folder that is a link, `..` is another folder. */
function targetOf(link: string): string {
  const target = readlinkSync(link)
  return isAbsolute(target) ? target : `${dirname(link)}/${target}`
}

/** Linux's own list, with its octal escapes undone. Elsewhere a single file cannot be mounted. */
function mountPoints(): Set<string> {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'latin1').trimEnd().split('\n')
    return new Set(lines.map((line) => nameOf(line.split(' ')[4] ?? '')))
  } catch {
    return new Set()
  }
}

function nameOf(escaped: string): string {
  const bytes = escaped.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}
