import { realpathSync } from 'node:fs'
import type { LedgerQueries } from '../../answers/ledger-queries.ts'
import type { Clock } from '../../clock.ts'
import type { GroupCommitLimits } from '../../ledger/group-commit.ts'
import { seedDefaultCaps } from '../../partners/seed-default-caps.ts'
import type { PartnerStore } from '../../partners/partner-store.ts'
import type { Caps } from '../../rules/caps.ts'
import { assertDefaultCapsReadable } from '../damaged-row.ts'
import type { Store, StoreSnapshot, StoreToServe } from '../store.ts'
import { openDatabase } from './database.ts'
import { importInto } from './import.ts'
import { openJournalWriter } from './journal-writer.ts'
import { assertMigrated, isEmpty, migrate, pendingOn } from './migrate.ts'
import { createOperatorAccounts } from './operator-accounts.ts'
import { createPartnerRecords } from './partner-records.ts'
import { isThere } from './file/permitted.ts'
import { keepPlaceOfServer, lockForServing } from './file/server-lock.ts'
import { openReading, openSnapshot } from './snapshot.ts'

/**
 * Returns the names of the migrations that were missing. It takes the place of the server meanwhile: one of an older
 * version, under which the layout changes, could not be started again.
 */
export function migrateSqlite(path: string): string[] {
  const database = openDatabase(path)
  try {
    if (pendingOn(database).length === 0) return []
    const lock = lockForServing(realpathSync(path))
    try {
      return migrate(database)
    } finally {
      lock.release()
    }
  } finally {
    database.close()
  }
}

/**
 * For the command line, with or without a running server. Commands that need an existing ledger do not create one by a
 * typo in the path (`create: false`), and the layout of an existing ledger is never changed here.
 */
export function openSqlite(path: string, { create = true } = {}): Store {
  if (!create) assertExists(path)
  if (isThere(path)) assertNotOlder(path)
  const database = openDatabase(path)
  try {
    if (create && isEmpty(database)) migrate(database)
    else assertMigrated(database, path)
  } catch (error) {
    database.close()
    throw error
  }
  return {
    partners: createPartnerRecords(database),
    operators: createOperatorAccounts(database),
    snapshot: async () => openSnapshot(path),
    importInto: (work) => importInto(path, work),
    close: async () => database.close(),
  }
}

/** To open it for writing changes its mode and its journal, and a ledger that is refused stays as it is. */
function assertNotOlder(path: string): void {
  const database = openDatabase(path, { readOnly: true })
  try {
    if (!isEmpty(database)) assertMigrated(database, path)
  } finally {
    database.close()
  }
}

/** Read-only: nothing in the file is changed. */
export function readSqlite(path: string, { atOneInstant = true } = {}): StoreSnapshot {
  assertExists(path)
  return atOneInstant ? openSnapshot(path) : openReading(path)
}

export async function querySqlite(path: string): Promise<LedgerQueries> {
  assertExists(path)
  const { openLedgerQueries } = await import('./ledger-queries.ts')
  return openLedgerQueries(path)
}

function assertExists(path: string): void {
  if (!isThere(path))
    throw new Error(`there is no ledger at ${path}: serve, partner create and operator create make one`)
}

type SqliteOptions = {
  /** Caps that were set for this process: they are the ledger's defaults if it has none yet. */
  caps: Partial<Caps>
  clock: Clock
  warn?(message: string): void
  limits?: Partial<GroupCommitLimits>
  /** Called before anything of a ledger that exists is changed. Throws if this server may not run on it. */
  admits?(partners: PartnerStore): Promise<void>
}

/** For the one server on this file. */
export async function serveSqlite(path: string, options: SqliteOptions): Promise<StoreToServe> {
  const { caps, clock, warn = () => {}, limits, admits = async () => {} } = options
  const opened = new AsyncDisposableStack()
  try {
    const database = openDatabase(path)
    opened.defer(() => {
      if (database.isOpen) database.close()
    })
    const place = keepPlaceOfServer(realpathSync(path)) // the real path, however the file was named
    opened.defer(() => place.release())
    const partners = createPartnerRecords(database)
    if (!isEmpty(database)) await admits(partners)
    migrate(database)
    const operator = { store: partners, actor: 'serve', now: clock.now() }
    for (const warning of await seedDefaultCaps(operator, caps)) warn(warning)
    // Imported here, so that commands do not load the server's parts.
    const { startLedger } = await import('./ledger.ts')
    const threads = await startLedger(path, { clock, limits, placeProblem: place.problem })
    opened.defer(() => threads.close())
    return {
      partners,
      operators: createOperatorAccounts(database),
      snapshot: async () => openSnapshot(path),
      ledger: {
        ...threads.ledger,
        async ready() {
          const warnings = await threads.ledger.ready()
          await assertDefaultCapsReadable(partners.defaultCaps)
          return warnings
        },
      },
      measured: threads.measured,
      readings: threads.readings,
      openJournal: (options) => openJournalWriter(path, options),
      watchSettings: () => ({ close: async () => {} }), // a file sends no notifications: the key directory polls often enough
      async close() {
        // Before the writer's: the last connection to close syncs the file, and a disk that hangs must hang a thread only.
        database.close()
        await opened.disposeAsync()
      },
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
