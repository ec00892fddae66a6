import { statSync } from 'node:fs'
import { Unavailable } from '../../ledger/faults.ts'

/** Which file a path leads to now. */
export function fileIdentity(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${dev} ${ino}`
}

/** An award written to a file that nobody will open again would be lost without a trace. */
export function assertSameFile(path: string, identity: string): void {
  if (fileIdentity(path) !== identity) {
    throw new Unavailable('the database file was moved or replaced: restart the server')
  }
}
