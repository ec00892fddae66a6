import pg from 'pg'
import { type DatabaseNames, databaseNames } from './database-names.ts'

/**
 * Why no connection could be opened, and what to do about it, in a sentence for operators. Never sent to partners: it
 * names hosts, databases and roles. The password is in none of it.
 */
export function whyUnreachable(error: unknown, databaseUrl: string): string {
  const { host, database, role } = databaseNames(databaseUrl)
  const { code = '', message = String(error), syscall } = error as Partial<NodeJS.ErrnoException>
  if (error instanceof pg.DatabaseError) {
    const advice = adviceOf[code]?.({ host, database, role })
    // Of these the server knows more than the code says: which line of pg_hba.conf, which limit.
    return advice === undefined ? `${host} refuses the connection: ${message}` : `${advice} (${message})`
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the host of ${host} is not known. Check the host name in DATABASE_URL`
  }
  if (code === 'ECONNREFUSED' || (code === 'ENOENT' && syscall === 'connect')) {
    return `nothing listens on ${host}. Start PostgreSQL, or correct host and port in DATABASE_URL`
  }
  if (message.includes('password must be a string')) {
    return `${host} asks for the password of the role "${role}", and DATABASE_URL has none`
  }
  if (message.includes('does not support SSL')) {
    return `${host} has no TLS. Switch it on there (ssl = on). Without TLS, whoever is between can read and change the awards: if the database is on this machine, that is nobody, and sslmode can be taken out of DATABASE_URL`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `the TLS certificate of ${host} is for another host: ${message}. Name the host in DATABASE_URL as in the certificate, or give the server one for this name`
  }
  if (/CERT|SIGNATURE/.test(code)) {
    return `the TLS certificate of ${host} is not trusted: ${message}. Name its authority with sslrootcert in DATABASE_URL`
  }
  if (message === allInUse) {
    return `all connections of this process to ${host} are in use: they wait there, for a lock or a standby, or it does not respond`
  }
  if (/timeout/i.test(message) || /TIMEDOUT|UNREACH/.test(code)) {
    return `${host} does not respond. Check the address, the network and the firewall`
  }
  if (message === 'Connection terminated unexpectedly') {
    return `${host} closes the connection without a response. Check in DATABASE_URL that PostgreSQL is at this host and port, and in the proxy, if it is one, that PostgreSQL is behind it`
  }
  if (isBrokenOff(error)) return `${host} broke the connection off (${message}). ${morePlaces}`
  return `${host}: ${message}`
}

/** Of the pool itself, to a request that has waited for one of its connections. */
const allInUse = 'timeout exceeded when trying to connect'

/** A pooler in session mode lets everybody log in, and closes a connection that got no place, with or without an error. */
export function isBrokenOff(error: unknown): boolean {
  const { code = '', message = '' } = error as Partial<NodeJS.ErrnoException>
  return /^(ECONNRESET|EPIPE)$/.test(code) || /^Connection terminated|query_wait_timeout/.test(message)
}

const connectionsNeeded = 'Every server process needs up to 17, and 10 more while its console is used'
export const morePlaces = `If DATABASE_URL leads to a pooler, its pool is probably too small. ${connectionsNeeded}: raise its size (default_pool_size in PgBouncer), or connect to PostgreSQL directly`

const adviceOf: Record<string, (names: DatabaseNames) => string> = {
  '3D000': ({ host, database }) =>
    `there is no database "${database}" on ${host}. Create it with UTF-8 encoding, or correct the name in DATABASE_URL`,
  '28P01': ({ host, role }) =>
    `${host} does not accept this password for the role "${role}". Correct user and password in DATABASE_URL`,
  '28000': ({ host, role }) =>
    role === ''
      ? `${host} was given no role. Name one in DATABASE_URL: postgres://role@…`
      : `${host} rejects the role "${role}". Create the role, allow it in pg_hba.conf, or add sslmode=verify-full to DATABASE_URL if only TLS is allowed there`,
  '42501': ({ database, role }) =>
    `the role "${role}" may not connect to "${database}". GRANT CONNECT ON DATABASE to it`,
  '53300': ({ host }) =>
    `${host} has no connection left. ${connectionsNeeded}: raise max_connections, or the limit of the role`,
  '57P03': ({ host }) => `${host} is starting, stopping or recovering. Try again in a moment`,
}
