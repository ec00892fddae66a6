import { execFile } from 'node:child_process'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { type OwnPostgres, ownPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import type { Lifetime } from '../support/service.ts'
import { startPortSwitch } from './port-switch.ts'

/** Two servers, of which the second has every commit before it is acknowledged, and one address for the primary. */
type PrimaryAndStandby = {
  url: string
  /** Nothing reaches the standby any more: whatever the primary acknowledged now would be lost with it. */
  stallReplication(): Promise<void>
  /** The standby is gone, in one of two ways, and back in sync again. */
  loseStandby(how: 'stopped' | 'frozen'): Promise<void>
  findStandby(): Promise<void>
  /** The primary dies; the standby is promoted and has the address. It is alone then. */
  failOver(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** The one that died becomes the standby of the other: a cold copy, so that the address is away for a moment. */
  rebuild(): Promise<void>
}

const copy = promisify(execFile)
const portOf = ({ url }: OwnPostgres) => Number(new URL(url).port)

export async function startPrimaryAndStandby(test: Lifetime): Promise<PrimaryAndStandby> {
  let primary: OwnPostgres = await startOwnPostgres(test)
  let standby: OwnPostgres = await ownPostgres(test)
  const address = await startPortSwitch(test, portOf(primary))

  async function rebuild(): Promise<void> {
    const conninfo = `host=127.0.0.1 port=${portOf(primary)} user=postgres password=test application_name=standby`
    // From here on no commit is acknowledged that the new standby does not have: until it is there, all wait.
    await primary.set({ primary_conninfo: conninfo, synchronous_standby_names: 'standby' })
    await primary.stop()
    await rm(standby.folder, { recursive: true, force: true })
    // As root, the files belong to another user, and must go on to.
    await copy('cp', ['-a', primary.folder, standby.folder])
    const signal = join(standby.folder, 'standby.signal')
    await writeFile(signal, '')
    await chmod(signal, 0o666)
    await Promise.all([primary.start(), standby.start()])
    await untilInSync()
  }

  async function untilInSync(): Promise<void> {
    const inSync = `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'`
    await eventually('the standby is in sync', async () => (await runSql(primary.url, inSync)).length === 1, {
      withinMs: 60_000,
    })
  }

  let frozen = false
  async function loseStandby(how: 'stopped' | 'frozen'): Promise<void> {
    frozen = how === 'frozen'
    if (frozen) standby.freeze()
    else await standby.stop()
  }

  async function findStandby(): Promise<void> {
    if (frozen) standby.thaw()
    else await standby.start()
    await untilInSync()
  }

  async function stallReplication(): Promise<void> {
    const [{ pid }] = await runSql(primary.url, 'SELECT pid FROM pg_stat_replication')
    process.kill(pid, 'SIGSTOP')
  }

  async function failOver(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    await primary.crash(signal)
    await runSql(standby.url, 'SELECT pg_promote()')
    await standby.set({ synchronous_standby_names: null })
    ;[primary, standby] = [standby, primary]
    address.pointTo(portOf(primary))
  }

  await rebuild()
  return {
    url: Object.assign(new URL(primary.url), { port: String(address.port) }).href,
    stallReplication,
    loseStandby,
    findStandby,
    failOver,
    rebuild,
  }
}
