import { openPool, withClient } from './database.ts'

/** On this channel `verify` says when it found the ledger sound, or not sound. Running servers listen: settings-watch.ts. */
export const verifiedChannel = 'partner_credit_verified'

/**
 * A notification, because it writes to no table. Servers that start later do not know of it until the next `verify`, and
 * a standby cannot send one.
 */
export async function recordVerified(url: string, at: number): Promise<void> {
  await notify(url, String(at))
}

/** Servers of versions that do not know this text ignore it. */
export async function recordNotSound(url: string, at: number): Promise<void> {
  await notify(url, `not sound ${at}`)
}

async function notify(url: string, payload: string): Promise<void> {
  const pool = openPool(url, { connectionsMax: 1, answerMaxMs: 5_000, connectMaxMs: 5_000 })
  try {
    await withClient(pool, (client) =>
      client.query('SELECT pg_notify($1::text, $2::text)', [verifiedChannel, payload]),
    )
  } finally {
    await pool.end()
  }
}

/** Null: it is none of these texts. */
export function verifiedOf(payload: string | undefined): { at: number; isSound: boolean } | null {
  const [, notSound, at] = /^(not sound )?([0-9]{1,15})$/.exec(payload ?? '') ?? []
  return at === undefined ? null : { at: Number(at), isSound: notSound === undefined }
}
