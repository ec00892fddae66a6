import { Unavailable } from '../../ledger/errors.ts'
import type { Client } from './database.ts'

/** What the database says of itself, and how far our clock is ahead of its. */
export type ServerFacts = {
  inRecovery: boolean
  readOnly: string
  version: number
  encoding: string
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
  arrayNulls: string
  trackActivities: string
  /** Whether it shows us what our own sessions are doing. */
  seesItself: boolean
  synchronousStandbys: string
  /** A schema of the search path in which every role of the database can create objects; null: there is none. */
  openSchema: string | null
  /** What awards need and the role may not do ("INSERT on entries, …"); null: nothing. */
  lackedPrivileges: string | null
  skewMs: number
}

const versionMin = 150_000
const clockSkewMaxMs = 1_000

/**
 * What the service promises is only true on a database that keeps its own promises. Refuses one that cannot, at the
 * start and, since settings can be changed under a running server, whenever `/readyz` is requested. Returns
 * in sentences what it can do less well than it might.
 */
export async function selfCheck(client: Client, now: () => number): Promise<string[]> {
  const facts = await readFacts(client, now)
  const problems = problemsOf(facts)
  if (problems.length > 0) {
    throw new Unavailable(`the database cannot be used: ${problems.join('; ')}`)
  }
  return warningsOf(facts)
}

/** A standby serves reads and must not decide anything; the other settings would lose acknowledged awards. */
export function problemsOf(facts: ServerFacts): string[] {
  const { inRecovery, readOnly, version, encoding, fsync, fullPageWrites, synchronousCommit } = facts
  const { arrayNulls, trackActivities, seesItself, lackedPrivileges } = facts
  const problems: string[] = []
  if (inRecovery) problems.push('it is a read-only standby: DATABASE_URL must name the primary')
  else if (readOnly === 'on') problems.push('it is read-only')
  if (version < versionMin) problems.push('PostgreSQL 15 or newer is needed')
  if (encoding !== 'UTF8') problems.push(`its encoding is ${encoding} and must be UTF8`)
  if (fsync !== 'on') problems.push('fsync is off and must be on')
  if (fullPageWrites !== 'on') problems.push('full_page_writes is off and must be on')
  if (['off', 'local'].includes(synchronousCommit)) {
    problems.push(`synchronous_commit is ${synchronousCommit} and must be on`)
  }
  // An award without a note would get the note NULL, and no longer be its own replay.
  if (arrayNulls !== 'on') problems.push('array_nulls is off and must be on')
  if (lackedPrivileges !== null)
    problems.push(
      `the role lacks the privilege ${lackedPrivileges}: GRANT it to the role, for the whole table`,
    )
  // How long sessions have waited for the standby is not known, and their number would not be bounded.
  if (trackActivities !== 'on') problems.push('track_activities is off and must be on')
  if (!seesItself) {
    problems.push(
      'the role that our sessions act as (SET role) cannot see them in pg_stat_activity: GRANT pg_read_all_stats to it',
    )
  }
  return problems
}

export function warningsOf({ synchronousStandbys, openSchema, skewMs }: ServerFacts): string[] {
  const warnings: string[] = []
  if (synchronousStandbys === '') {
    warnings.push(
      'no synchronous standby is configured: an acknowledged award survives a crash of the database, not the loss of its disk',
    )
  }
  if (openSchema !== null) {
    warnings.push(
      `every role of this database can create functions in the schema ${openSchema}, which our statements might call: REVOKE CREATE ON SCHEMA ${openSchema} FROM PUBLIC`,
    )
  }
  if (Math.abs(skewMs) > clockSkewMaxMs) {
    const seconds = (Math.abs(skewMs) / 1000).toFixed(1)
    const way = skewMs > 0 ? 'ahead of' : 'behind'
    warnings.push(`our clock is ${seconds} s ${way} the database's: both should follow NTP`)
  }
  return warnings
}

export const factsSelection = `
  pg_is_in_recovery() AS "inRecovery", current_setting('transaction_read_only') AS "readOnly",
  current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('array_nulls') AS "arrayNulls",
  current_setting('track_activities') AS "trackActivities",
  (SELECT state IS NOT NULL FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS "seesItself",
  current_setting('synchronous_standby_names') AS "synchronousStandbys",
  (SELECT min(name::text) FROM pg_catalog.unnest(current_schemas(false)) AS name
   WHERE has_schema_privilege('public'::name, name::text, 'CREATE'::text)) AS "openSchema"`

/**
 * What an award does to the tables; it reads settings, and removes counters that it made only to lock them. The key directory
 * reads the audit trail.
 */
export const neededPrivileges: Record<string, string[]> = {
  accounts: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  entries: ['SELECT', 'INSERT'],
  user_days: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  ...Object.fromEntries(
    [
      ...['partners', 'tenants', 'grants', 'keys', 'default_caps', 'settings_version'],
      ...['audit', 'audit_head'],
    ].map((table) => [table, ['SELECT']]),
  ),
}

/** For the whole table: which columns we use changes with the version. Tables that are not found have none to lack. */
const lackedPrivileges = `
  (SELECT string_agg(privilege || ' on ' || name, ', ' ORDER BY name, privilege)
   FROM (VALUES ${Object.entries(neededPrivileges)
     .flatMap(([table, privileges]) => privileges.map((one) => `('${table}'::text, '${one}'::text)`))
     .join(', ')}) AS needed (name, privilege)
   WHERE NOT has_table_privilege(to_regclass(name)::oid, privilege))`

async function readFacts(client: Client, now: () => number): Promise<ServerFacts> {
  const before = now()
  const { rows } = await client.query(
    `SELECT ${factsSelection}, ${lackedPrivileges} AS "lackedPrivileges", (extract(epoch FROM clock_timestamp()) * 1000::numeric)::bigint AS now`,
  )
  const { now: theirs, ...facts } = rows[0]
  // Assumes that both directions of the round trip take equally long.
  return { ...facts, skewMs: (before + now()) / 2 - theirs }
}
