import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { CheckedClient } from './checked-client.ts'
import type { Client } from './database.ts'

/** By which a server's session is known: each has one, and commands have none. */
const watchName = 'partner-credit watch'
export const settingsChannel = 'partner_credit_settings'
const reconnectMs = 1_000
const connectTimeoutMs = 5_000
const goodbyeMs = 500

/**
 * Reports changes by operators on any node as soon as they are committed. It is an optimization, not a guarantee: without
 * a connection, or behind a pooler without LISTEN, the key directory still finds every change by polling, within a second.
 */
export function watchSettings(url: string, onChange: () => void): { close(): Promise<void> } {
  let client: pg.Client | undefined
  let closed = false

  async function listen(): Promise<void> {
    while (!closed) {
      const ended = Promise.withResolvers<void>()
      client = new CheckedClient({
        connectionString: url,
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
      })
      client.on('error', () => {})
      client.on('end', () => ended.resolve())
      client.on('notification', () => onChange())
      try {
        await client.connect()
        // Not as an option above: the DATABASE_URL may have another name.
        await client.query(`SET application_name = '${watchName}'; LISTEN ${settingsChannel}`)
        await ended.promise
      } catch {
        // Away, or a standby, which knows no LISTEN; tried again below.
        await leave(client)
      }
      await sleep(reconnectMs, undefined, { ref: false })
    }
  }
  void listen()

  return {
    async close() {
      closed = true
      if (client !== undefined) await leave(client)
    },
  }
}

/** Whether any server runs on this ledger. */
export async function isServed(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 LIMIT 1',
    [watchName],
  )
  return rows.length > 0
}

/** A server that no longer responds keeps us neither from trying again nor from ending. */
async function leave(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), sleep(goodbyeMs, undefined, { ref: false })])
  client.connection.stream.destroy()
}
