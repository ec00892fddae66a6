import type { Client } from './database.ts'

/** `verify` and `export` hold none for longer than a few seconds. */
const oldSeconds = 60

/**
 * While a session holds an old snapshot, PostgreSQL removes no dead version of a row, and every award walks past all
 * those of its account and its user, so that awards get slower and slower. Sessions of other roles are visible only
 * with pg_read_all_stats.
 */
export async function oldSnapshotWarnings(
  client: Client,
  { olderThanSeconds = oldSeconds } = {},
): Promise<string[]> {
  const { rows } = await client.query({
    name: 'oldest-snapshot',
    text: `
      SELECT pid, application_name AS name, floor(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
      FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND backend_xmin IS NOT NULL
        AND pid <> pg_backend_pid() AND xact_start < clock_timestamp() - make_interval(secs => $1::float8)
      ORDER BY xact_start LIMIT 1`,
    values: [olderThanSeconds],
  })
  return rows.map(
    ({ pid, name, seconds }) =>
      `session ${pid} (${JSON.stringify(name)}) has been in one transaction for ${seconds} s, and awards get slower ` +
      `while it is: end it, or set idle_in_transaction_session_timeout`,
  )
}
