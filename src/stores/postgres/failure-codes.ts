/**
 * SQLSTATEs of failures that the statement did not cause: connection, resources, operator, system; a read-only database; a
 * privilege that the role has lost (without one on the schema, a table is not found); timeouts of idle transactions, locks
 * and statements; a prepared statement that is missing, or exists already, because a pooler gave us another connection.
 */
export const unavailableCodes = /^(08|53|57|58|25006|42501|42P01|25P0[34]|55P03|26000|42P05)/

const connectionCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** The same of an error as the driver throws it, and a connection that broke. The driver itself is not needed here. */
export function isDatabaseFailure(error: unknown): boolean {
  const { code = '', severity, message } = error as { code?: string; severity?: string; message?: string }
  if (severity !== undefined) return unavailableCodes.test(code)
  return connectionCodes.has(code) || /^Connection terminated/.test(message ?? '')
}
