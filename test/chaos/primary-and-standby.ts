import { execFile } from 'node:child_process'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { type OwnPostgres, ownPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import type { Lifetime } from '../support/service.ts'
import { startPortSwitch } from './port-switch.ts'

/** A primary, a standby that has every commit before it is acknowledged, and one address for the primary. */
type PrimaryAndStandby = {
  url: string
  /** Nothing reaches the standby any more: what the primary acknowledged now would be lost with it. */
  stallReplication(): Promise<void>
  /** The standby goes away, in one of two ways, and returns in sync. */
  loseStandby(how: 'stopped' | 'frozen'): Promise<void>
  findStandby(): Promise<void>
  /** The primary dies; the standby is promoted and takes over the address. It has no standby then. */
  failOver(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** The server that died becomes the standby of the other, by a cold copy: the address is away for a moment. */
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
    // From here on a commit is acknowledged only when the new standby has it: until then all wait.
    await primary.set({ primary_conninfo: conninfo, synchronous_standby_names: 'standby' })
    await primary.stop()
    await rm(standby.folder, { recursive: true, force: true })
    // If we are root, the files belong to another user, and the copies must, too.
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
