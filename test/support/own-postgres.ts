import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { runSql } from './fresh-database.ts'
import {
  childrenOf,
  killAllOf,
  postmasterOf,
  statusOf,
  stoppedProcessesOf,
  tell,
} from './postgres-processes.ts'
import { copyFolder, freePort, importWithoutExitHook, initdbFlags } from './postgres-server.ts'
import { scratchFolder } from './scratch-folder.ts'
import { setServer } from './server-settings.ts'
import type { Lifetime } from './service.ts'

/** A PostgreSQL that belongs to one test: it can be stopped, started, crashed and reconfigured. */
export type OwnPostgres = {
  url: string
  folder: string
  start(): Promise<void>
  stop(): Promise<void>
  /** A crash: an immediate stop (SIGQUIT), or the death of all its processes (SIGKILL). */
  crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** All its processes are stopped, as on a machine that hangs: connections stay open, and nothing responds. */
  freeze(): void
  thaw(): void
  /** Settings of the whole server, in effect when this resolves; null: back to the default. */
  set(settings: Record<string, string | null>): Promise<void>
}

export async function startOwnPostgres(test: Lifetime): Promise<OwnPostgres> {
  const server = await ownPostgres(test)
  await server.initialise()
  await server.start()
  return server
}

/** Not started, and its folder not created, so that a test can copy another server's there. */
export async function ownPostgres(test: Lifetime): Promise<OwnPostgres & { initialise(): Promise<void> }> {
  const port = await freePort()
  const folder = join(scratchFolder(), `partner-credit-own-postgres-${port}-${process.pid}`)
  const server = new (await importWithoutExitHook())({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'test',
    persistent: true,
    initdbFlags,
    // After a crash the whole file system is synced in one call, not file by file: that saves seconds.
    postgresFlags: ['-c', 'recovery_init_sync_method=syncfs'],
    onLog: () => {},
  })
  const url = `postgres://postgres:test@127.0.0.1:${port}/postgres`
  // After a crash there is no process that could be told to stop.
  const isRunning = () =>
    existsSync(join(folder, 'postmaster.pid')) && statusOf(postmasterOf(folder)) !== null
  test.after(async () => {
    if (isRunning()) thaw()
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function start(): Promise<void> {
    // Its own promise waits for a log line that a standby does not print.
    server.start().catch(() => {})
    await eventually(
      'the server answers',
      () =>
        runSql(url, 'SELECT 1').then(
          () => true,
          () => false,
        ),
      { withinMs: 60_000 },
    )
  }

  async function stop(): Promise<void> {
    if (isRunning()) await server.stop()
  }

  async function crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    if (signal === 'SIGKILL') return killAllOf(folder)
    const first = postmasterOf(folder)
    tell(first, signal)
    await eventually('it is gone', () => statusOf(first) === null)
  }

  const freeze = () => void stoppedProcessesOf(postmasterOf(folder))

  function thaw(): void {
    const first = postmasterOf(folder)
    for (const pid of [...childrenOf(first), first]) tell(pid, 'SIGCONT')
  }

  const set = (settings: Record<string, string | null>) => setServer(url, settings)

  function initialise(): Promise<void> {
    const { TEST_INITIALIZED_FOLDER } = process.env
    return TEST_INITIALIZED_FOLDER === undefined
      ? server.initialise()
      : copyFolder(TEST_INITIALIZED_FOLDER, folder)
  }

  return { url, folder, initialise, start, stop, crash, freeze, thaw, set }
}
