import { openPool, withClient } from './database.ts'

/** On this channel `verify` says when it found the ledger sound. Running servers listen: settings-watch.ts. */
export const verifiedChannel = 'partner_credit_verified'

/**
 * A notification, because it writes to no table. Servers that start later do not know of it until the next `verify`, and
 * a standby cannot send one.
 */
export async function recordVerified(url: string, at: number): Promise<void> {
  const pool = openPool(url, { connectionsMax: 1, answerMaxMs: 5_000, connectMaxMs: 5_000 })
  try {
    await withClient(pool, (client) =>
      client.query('SELECT pg_notify($1::text, $2::text)', [verifiedChannel, String(at)]),
    )
  } finally {
    await pool.end()
  }
}

/** Null: it is not the text of a time. */
export function verifiedAtOf(payload: string | undefined): number | null {
  return payload !== undefined && /^[0-9]{1,15}$/.test(payload) ? Number(payload) : null
}
