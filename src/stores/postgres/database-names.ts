import pg from 'pg'

export type DatabaseNames = { host: string; database: string; role: string }

/** Whatever the role, its password and the settings for TLS. Without a name, the database is that of the role. */
export function isSameDatabase(one: string, other: string): boolean {
  const [names, others] = [databaseNames(one), databaseNames(other)]
  return names.host === others.host && names.database === others.database
}

/**
 * The driver says, because it takes what the URL leaves out from PGHOST, PGPORT, PGDATABASE and PGUSER. It would also read the
 * files for TLS, and these may be missing.
 */
export function databaseNames(databaseUrl: string): DatabaseNames {
  const url = new URL(databaseUrl)
  for (const file of ['sslcert', 'sslkey', 'sslrootcert']) url.searchParams.delete(file)
  const { host, port, database = '', user: role = '' } = new pg.Client({ connectionString: url.href })
  return { host: host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`, database, role }
}
