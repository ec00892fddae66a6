import { readFileSync } from 'node:fs'
import { limits } from './limits.ts'

/** For the database, threads and the log. */
const ownFiles = 256
const neededMax = 2 * limits.connectionsMax + ownFiles

/**
 * A warning if strangers can use up the files that this process may open, before a limit of ours stops them. Node has
 * raised the limit as far as the system allows. Null: it is high enough, or not known.
 */
export function openFilesWarning(): string | null {
  const max = openFilesMax()
  if (max === null || max >= neededMax) return null
  return `this process may open ${max} files, but with all connections in use it needs ${neededMax}: raise the limit (ulimit -n, LimitNOFILE of systemd)`
}

function openFilesMax(): number | null {
  try {
    const max = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return max === undefined ? null : Number(max)
  } catch {
    return null // not on Linux
  }
}
