import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, statSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import { runSql } from './fresh-database.ts'
import { freePort } from './postgres-server.ts'
import { killAllOf, postmasterOf } from './postgres-processes.ts'
import { scratchFolder } from './scratch-folder.ts'
import { setServer } from './server-settings.ts'
import type { Lifetime } from './service.ts'

const run = promisify(execFile)

/** A node of a Citus cluster on this machine, whose processes we may end and start. */
export type ClusterNode = {
  url: string
  kill(): Promise<void>
  /** Resolves when it accepts connections. */
  start(): Promise<void>
  /** In force when this resolves; null: back to the default. */
  set(name: string, value: string | null): Promise<void>
}

/** Where its files and its programs are, and who owns them: all of it is asked of the node itself. */
type Place = { folder: string; programs: string; uid: number; gid: number }

export async function clusterNode(url: string): Promise<ClusterNode> {
  const [{ folder, programs }] = await runSql(
    url,
    `SELECT current_setting('data_directory') AS folder,
       (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS programs`,
  )
  const { uid, gid } = statSync(folder)
  return nodeAt(url, { folder, programs, uid, gid })
}

/** One more node, with the programs of another one. It is not part of any cluster yet. */
export async function newClusterNode(test: Lifetime, like: string): Promise<ClusterNode> {
  const [{ folder: theirs, programs }] = await runSql(
    like,
    `SELECT current_setting('data_directory') AS folder,
       (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS programs`,
  )
  const { uid, gid } = statSync(theirs)
  const folder = mkdtempSync(join(scratchFolder(), 'partner-credit-cluster-node-'))
  chownSync(folder, uid, gid)
  const port = await freePort()
  const { username, pathname } = new URL(like)
  const place = { folder, programs, uid, gid }
  await asOwner(place, 'initdb', ['-D', folder, '-A', 'trust', '-U', username, '-E', 'UTF8', '--no-sync'])
  await appendFile(join(folder, 'postgresql.conf'), settingsOf(port))
  const node = nodeAt(`postgres://${username}@127.0.0.1:${port}${pathname}`, place)
  test.after(async () => {
    await killAllOf(folder).catch(() => {})
    await rm(folder, { recursive: true, force: true })
  })
  await asOwner(place, 'pg_ctl', startArguments(place))
  return node
}

const settingsOf = (port: number) => `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
max_prepared_transactions = 200
max_worker_processes = 32
citus.recover_2pc_interval = '5s'
`

function nodeAt(url: string, place: Place): ClusterNode {
  return {
    url,
    async kill() {
      const first = postmasterOf(place.folder)
      await killAllOf(place.folder)
      // As long as nobody has waited for it, it keeps its id, and the next server would take it for a running one.
      await eventually('its id is free', () => !existsSync(`/proc/${first}`), { withinMs: 60_000 })
    },
    async start() {
      await asOwner(place, 'pg_ctl', startArguments(place))
    },
    set: (name, value) => setServer(url, { [name]: value }),
  }
}

const startArguments = ({ folder }: Place) => ['-w', '-D', folder, '-l', join(folder, 'started.log'), 'start']

/** It looks for its own certificates in the home folder, and our own may not be read by others. */
async function asOwner(
  { folder, programs, uid, gid }: Place,
  program: string,
  args: string[],
): Promise<void> {
  await run(join(programs, program), args, { uid, gid, cwd: '/', env: { ...process.env, HOME: folder } })
}
