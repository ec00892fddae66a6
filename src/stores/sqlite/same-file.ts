import { statSync } from 'node:fs'
import { Unavailable } from '../../ledger/faults.ts'
import { asFault, type Database, openDatabase } from './database.ts'

/** The file that a path leads to at this moment. */
export type SameFile = { path: string; identity: string }

export function sameFile(path: string): SameFile {
  return { path, identity: identityOf(path) }
}

/** An award written to a file that nobody will open again would be lost without a trace. */
export function faultOfFile({ path, identity }: SameFile): Unavailable | null {
  if (identityOf(path) === identity) return null
  return new Unavailable('the database file was moved or replaced: restart the server')
}

export function assertSameFile(file: SameFile): void {
  const fault = faultOfFile(file)
  if (fault !== null) throw fault
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
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    return 'out of sight'
  }
}
