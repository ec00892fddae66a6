import { statSync } from 'node:fs'
import { basename } from 'node:path'

/** Twice the length at which the log normally starts over. */
const longBytes = 256 * 2 ** 20

/** Warns the operator before awards are refused. Only checks the file's size, which is cheap. */
export function warningsOfLog(path: string): string[] {
  const log = `${path}-wal`
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (bytes < longBytes) return []
  return [
    `${basename(log)} has ${Math.round(bytes / 1e6)} MB, because another program has been reading the ledger for a ` +
      'long time (a backup, a shell): end it. At 1 GB awards are refused until it ends',
  ]
}
