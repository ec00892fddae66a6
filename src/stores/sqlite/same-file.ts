import { statSync } from 'node:fs'
import { Unavailable } from '../../ledger/faults.ts'
import { asFault, type Database, openDatabase } from './database.ts'

/** The file that a path leads to at this moment. */
export type SameFile = { path: string; identity: string }

export function sameFile(path: string): SameFile {
  return { path, identity: identityOf(path) }
}

/** An award written to a file that nobody will open again would be lost without a trace. */
export function assertSameFile({ path, identity }: SameFile): void {
  if (identityOf(path) !== identity) {
    throw new Unavailable('the database file was moved or replaced: restart the server')
  }
}

/** For threads that start later: they shall not make a new file where ours was, nor open another's beside our log. */
export function openSameFile(file: SameFile, options?: { readOnly: boolean }): Database {
  assertSameFile(file)
  try {
    return openDatabase(file.path, options)
  } catch (error) {
    throw asFault((error as Error).cause)
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${dev} ${ino}`
}
