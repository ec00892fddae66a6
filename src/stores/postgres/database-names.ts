export type DatabaseNames = { host: string; database: string; role: string }

/** Whatever the role, its password and the settings for TLS. Without a name, the database is that of the role. */
export function isSameDatabase(one: string, other: string): boolean {
  const [names, others] = [databaseNames(one), databaseNames(other)]
  return names.host === others.host && names.database === others.database
}

/** As the driver reads them: a parameter counts before the URL's own part. */
export function databaseNames(databaseUrl: string): DatabaseNames {
  const url = new URL(databaseUrl)
  const given = Object.fromEntries(url.searchParams)
  const host = given.host || decodeURIComponent(url.hostname) || 'localhost'
  const port = given.port || url.port || '5432'
  const role = given.user || decodeURIComponent(url.username)
  return {
    host: host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`,
    database: decodeURIComponent(url.pathname.slice(1)) || role,
    role,
  }
}
