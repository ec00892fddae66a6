import { existsSync, realpathSync } from 'node:fs'
import type { Clock } from '../../clock.ts'
import type { GroupCommitLimits } from '../../ledger/group-commit.ts'
import type { Caps } from '../../rules/caps.ts'
import type { Store, StoreSnapshot, StoreToServe } from '../store.ts'
import { openDatabase } from './database.ts'
import { startLedger } from './ledger.ts'
import { loadInto } from './load.ts'
import { migrate } from './migrate.ts'
import { createPartnerRecords } from './partner-records.ts'
import { lockForServing } from './server-lock.ts'
import { openReading, openSnapshot } from './snapshot.ts'

/** Gives the names of the migrations that were missing. */
export function migrateSqlite(path: string): string[] {
  const database = openDatabase(path)
  try {
    return migrate(database)
  } finally {
    database.close()
  }
}

/**
 * For the command line: beside a running server or without one. The embedded ledger migrates itself; whoever only
 * looks at it, or changes what must be there already, does not make one by a slip in its name.
 */
export function openSqlite(path: string, { create = true } = {}): Store {
  if (!create) assertExists(path)
  const database = openDatabase(path)
  migrate(database)
  return {
    partners: createPartnerRecords(database),
    snapshot: async () => openSnapshot(path),
    load: (work) => loadInto(path, work),
    close: async () => database.close(),
  }
}

/** For whoever only reads: nothing of the file is changed, not even its layout. */
export function readSqlite(path: string, { atOneInstant = true } = {}): StoreSnapshot {
  assertExists(path)
  return atOneInstant ? openSnapshot(path) : openReading(path)
}

function assertExists(path: string): void {
  if (!existsSync(path)) throw new Error(`there is no ledger at ${path}: serve and partner create make one`)
}

export type SqliteOptions = { caps: Caps; clock: Clock; limits?: Partial<GroupCommitLimits> }

/** For the one server on this file. */
export async function serveSqlite(
  path: string,
  { caps, clock, limits }: SqliteOptions,
): Promise<StoreToServe> {
  const opened = new AsyncDisposableStack()
  try {
    const database = openDatabase(path)
    opened.defer(() => database.close())
    const lock = lockForServing(realpathSync(path)) // by whatever name the file is known
    opened.defer(() => lock.release())
    migrate(database)
    const threads = await startLedger(path, { defaultCaps: caps, clock, limits })
    opened.defer(() => threads.close())
    return {
      partners: createPartnerRecords(database),
      snapshot: async () => openSnapshot(path),
      ledger: threads.ledger,
      watchSettings: () => ({ close: async () => {} }), // the file tells nobody: the directory asks often enough
      close: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
