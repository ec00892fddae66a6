import { ok } from 'node:assert/strict'
import pg from 'pg'
import type { Config } from '../../src/config.ts'
import { eventually } from './eventually.ts'
import { runSql } from './fresh-database.ts'
import type { Lifetime } from './service.ts'

type OnDatabase = { config: Pick<Config, 'database'> }

export function urlOf({ config: { database } }: OnDatabase): string {
  ok(database.kind === 'postgres')
  return database.url
}

/** Another session on the same database, for a test that blocks the service. */
export async function openSession(test: Lifetime, url: string): Promise<pg.Client> {
  const session = new pg.Client(url)
  session.on('error', () => {})
  await session.connect()
  test.after(() => session.end())
  return session
}

const ours = `datname = current_database() AND application_name = 'partner-credit'`

/** Waits until this many sessions of the service wait for a lock. */
export async function lockWaits(url: string, count = 1): Promise<void> {
  await eventually(`${count} sessions wait for a lock`, async () => {
    const rows = await runSql(
      url,
      `SELECT 1 FROM pg_stat_activity WHERE ${ours} AND wait_event_type = 'Lock'`,
    )
    return rows.length === count
  })
}

/** Ends sessions of the service, all or those in a given state; returns how many. */
export async function killSessions(url: string, where = 'true'): Promise<number> {
  const rows = await runSql(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ours} AND ${where}`,
  )
  return rows.length
}

export async function deadlocksIn(service: OnDatabase): Promise<number> {
  const query = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()'
  return (await runSql(urlOf(service), query))[0].deadlocks
}
