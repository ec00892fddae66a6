import { realpathSync } from 'node:fs'
import type { Clock } from '../../clock.ts'
import type { Caps } from '../../rules/caps.ts'
import type { Store, StoreToServe } from '../store.ts'
import { openDatabase } from './database.ts'
import { startLedger } from './ledger.ts'
import { migrate } from './migrate.ts'
import { createPartnerRecords } from './partner-records.ts'
import { lockForServing } from './server-lock.ts'
import { openSnapshot } from './snapshot.ts'

/** For the command line: beside a running server or without one. The embedded ledger migrates itself. */
export function openSqlite(path: string): Store {
  const database = openDatabase(path)
  migrate(database)
  return {
    partners: createPartnerRecords(database),
    snapshot: async () => openSnapshot(path),
    close: async () => database.close(),
  }
}

/** For the one server on this file. */
export async function serveSqlite(path: string, caps: Caps, clock: Clock): Promise<StoreToServe> {
  const database = openDatabase(path)
  const lock = lockForServing(realpathSync(path)) // by whatever name the file is known
  try {
    migrate(database)
    const ledger = await startLedger(path, { reader: database, defaultCaps: caps, clock })
    return {
      partners: createPartnerRecords(database),
      snapshot: async () => openSnapshot(path),
      ledger,
      async close() {
        await ledger.close()
        database.close()
        lock.release()
      },
    }
  } catch (error) {
    database.close()
    lock.release()
    throw error
  }
}
