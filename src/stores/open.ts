import type { LedgerQueries } from '../answers/ledger-queries.ts'
import type { Clock } from '../clock.ts'
import { DamagedRows } from '../ledger/errors.ts'
import type { GroupCommitLimits } from '../ledger/group-commit.ts'
import type { JournalReader } from '../journal/journal-reader.ts'
import type { LastUse, OperatorSessions } from '../operator/access/operator-store.ts'
import type { PartnerStore } from '../partners/partner-store.ts'
import type { Caps } from '../rules/caps.ts'
import type { Schema } from './postgres/database.ts'
import type { Distributed } from './postgres/distribute.ts'
import { isDatabaseFailure } from './postgres/failure-codes.ts'
import { migrateSqlite, openSqlite, querySqlite, readSqlite, serveSqlite } from './sqlite/open.ts'
import { beginVerifyRecord as beginOnSqlite } from './sqlite/verify-record.ts'
import type { Store, StoreSnapshot, StoreToServe } from './store.ts'
import type { RecordResult } from './verify-record.ts'

/** Where the ledger is kept. A server names the schema that it found at its start to all that it opens afterwards. */
export type DatabaseLocation =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; schema?: Schema }

/** Loaded on first use: the embedded ledger needs no driver. */
const postgres = () => import('./postgres/open.ts')

export { isDatabaseFailure }

/** How PostgreSQL's driver reports a statement that timed out. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

const primaryCode = 0xff
const sqliteAdvice = new Map([
  [5, 'another program has kept it locked for too long. End its transaction, and run the command again'],
  [10, 'the disk failed to read or write. See whether it is full, and check it'],
  [11, 'the file is damaged. Restore a backup, and remove the old log (-wal and -shm) before you do'],
  [13, 'make room on its disk, and run the command again'],
])

/** What to do about an error of SQLite, whose own text does not say that. Null: it is another error. */
export function adviceFor(error: unknown): string | null {
  const code = (error as { errcode?: number }).errcode
  return code === undefined ? null : (sqliteAdvice.get(code & primaryCode) ?? null)
}

/** What the database itself says about pages that it cannot make sense of: SQLite, and PostgreSQL by its SQLSTATEs. */
const sqliteDamage = [11, 26]
const postgresDamage = ['XX001', 'XX002']

/** The database has found that what it stores is damaged. */
export function isDamage(error: unknown): boolean {
  const { errcode = 0, code = '' } = error as { errcode?: number; code?: string }
  if (sqliteDamage.includes(errcode & primaryCode) || postgresDamage.includes(code)) return true
  return error instanceof DamagedRows && isDamage(error.cause)
}

type OpenOptions = {
  create?: boolean
  /** Told what an operator who is about to change something should know. */
  warn?(message: string): void
}

/** Creates a missing embedded ledger, if `create` allows it. */
export async function openStore(
  database: DatabaseLocation,
  { create = true, warn }: OpenOptions = {},
): Promise<Store> {
  return database.kind === 'sqlite'
    ? openSqlite(database.path, { create })
    : (await postgres()).openPostgres(database.url, { schema: database.schema, warn })
}

/** A read-only snapshot of one instant. Do not hold it for long: see LedgerSnapshot. */
export async function openSnapshot(database: DatabaseLocation): Promise<StoreSnapshot> {
  return openToRead(database, { atOneInstant: true })
}

/** Read-only, for long reads: each page is as of the moment it is read, except inside `atOneInstant`. */
export async function openReading(database: DatabaseLocation): Promise<StoreSnapshot> {
  return openToRead(database, { atOneInstant: false })
}

async function openToRead(
  database: DatabaseLocation,
  how: { atOneInstant: boolean },
): Promise<StoreSnapshot> {
  return database.kind === 'sqlite'
    ? readSqlite(database.path, how)
    : (await postgres()).readPostgres(database.url, { ...how, schema: database.schema })
}

/** Read-only, for operators' questions. */
export async function openQueries(database: DatabaseLocation): Promise<LedgerQueries> {
  if (database.kind === 'sqlite') return querySqlite(database.path)
  const { openLedgerQueries } = await import('./postgres/ledger-queries.ts')
  return openLedgerQueries(database.url, database.schema)
}

type ServeOptions = {
  /** Those that were set for this process. They are the ledger's defaults if it has none yet. */
  caps: Partial<Caps>
  clock: Clock
  warn(message: string): void
  limits?: Partial<GroupCommitLimits>
  /** Called before anything of a ledger that exists is changed. Throws if this server may not run on it. */
  admits?(partners: PartnerStore): Promise<void>
}

export async function serveStore(
  database: DatabaseLocation,
  options: ServeOptions,
): Promise<StoreToServe & { location: DatabaseLocation }> {
  if (database.kind === 'sqlite') {
    return { ...(await serveSqlite(database.path, options)), location: database }
  }
  const { servePostgres } = await postgres()
  const { schema, ...store } = await servePostgres(database.url, { ...options, schema: database.schema })
  return { ...store, location: { ...database, schema } }
}

/** What the servers on this database saw: see src/journal. */
export async function openJournal(database: DatabaseLocation): Promise<JournalReader> {
  if (database.kind === 'sqlite') {
    const { openJournalReader } = await import('./sqlite/journal-reader.ts')
    return openJournalReader(database.path)
  }
  const postgresJournal = await import('./postgres/journal-reader.ts')
  return postgresJournal.openJournalReader(database.url, database.schema)
}

/** Who is signed in, failed sign-ins and the access log. On SQLite it blocks its thread. */
export async function openOperatorSessions(
  database: DatabaseLocation,
  warn: (message: string) => void,
): Promise<OperatorSessions> {
  if (database.kind === 'sqlite') {
    const sqlite = await import('./sqlite/operator-sessions.ts')
    return sqlite.openOperatorSessions(database.path, warn)
  }
  const postgresSessions = await import('./postgres/operator-sessions.ts')
  return postgresSessions.openOperatorSessions(database.url, database.schema)
}

/** For the command line, which does not create the operator's file. */
export async function lastOperatorUses(database: DatabaseLocation): Promise<LastUse[]> {
  return withOperatorSessions(database, [], (sessions) => sessions.lastUses())
}

/** For the command line: all sessions of an account that it has changed. */
export async function endOperatorSessions(database: DatabaseLocation, operatorId: string): Promise<number> {
  return withOperatorSessions(database, 0, (sessions) => sessions.endAll(operatorId))
}

/** `none`: where nobody has ever signed in, there is no file of sessions yet. */
async function withOperatorSessions<T>(
  database: DatabaseLocation,
  none: T,
  work: (sessions: OperatorSessions) => Promise<T>,
): Promise<T> {
  if (database.kind === 'sqlite') {
    const sqlite = await import('./sqlite/operator-sessions.ts')
    if (!sqlite.hasOperatorFile(database.path)) return none
  }
  const sessions = await openOperatorSessions(database, () => {})
  try {
    return await work(sessions)
  } finally {
    await sessions.close()
  }
}

/** Call it before `verify` reads the ledger. The ledger itself is not written to. */
export async function beginVerifyRecord(database: DatabaseLocation): Promise<RecordResult> {
  if (database.kind === 'sqlite') return beginOnSqlite(database.path)
  const { beginVerifyRecord } = await import('./postgres/verify-record.ts')
  return beginVerifyRecord(database.url, database.schema)
}

/** Returns the names of the migrations it ran. Only this, and a server on an embedded ledger, change the layout. */
export async function migrateStore(
  database: DatabaseLocation,
  say: (message: string) => void = () => {},
): Promise<string[]> {
  return database.kind === 'sqlite'
    ? migrateSqlite(database.path)
    : (await postgres()).migratePostgres(database.url, { say })
}

/** Spreads a ledger over the nodes of a Citus cluster. */
export async function distributeStore(
  database: DatabaseLocation,
  shards?: number,
  say: (message: string) => void = () => {},
): Promise<Distributed> {
  if (database.kind === 'sqlite') {
    throw new Error('the embedded ledger is one file: distribute needs a PostgreSQL with Citus')
  }
  const { distributePostgres } = await import('./postgres/distribute.ts')
  return distributePostgres(database.url, shards, { say })
}
