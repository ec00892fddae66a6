import { randomBytes } from 'node:crypto'
import { distributeStore, migrateStore } from '../../src/stores/open.ts'
import { startPortSwitch } from '../chaos/port-switch.ts'
import { runSql } from './fresh-database.ts'

/**
 * Any database on the coordinator of a Citus cluster whose nodes it knows, as a superuser who may connect to all of
 * them. Without it, tests that need a cluster are skipped.
 */
export const citusUrl = process.env.TEST_CITUS_URL

type Worker = {
  /** The database on that node, not through the coordinator, to tamper with a shard. */
  url: string
  /** Until `comeBack`, the cluster cannot reach it. */
  goAway(): void
  comeBack(): void
}

/** A new database on every node of the cluster. Remove it after everything else is closed. */
export type FreshCitus = { url: string; workers: Worker[]; remove(): Promise<void> }

/** Empty, with the extension; the coordinator reaches each worker through a switch that a test can turn. */
export async function emptyCitus(): Promise<FreshCitus> {
  const nodes = await runSql(
    citusUrl!,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  )
  const name = `test_${randomBytes(6).toString('hex')}`
  const urlOf = ({ host, port }: { host: string; port: number }, path = `/${name}`) =>
    Object.assign(new URL(citusUrl!), { host: `${host}:${port}`, pathname: path }).href
  const alone = 'SET citus.enable_create_database_propagation = off'
  const [coordinator, ...workers] = nodes
  const cleanUp = new AsyncDisposableStack()
  for (const node of nodes) {
    const admin = urlOf(node, '/postgres')
    await onAdmin(admin, alone, `CREATE DATABASE ${name}`)
    cleanUp.defer(() => onAdmin(admin, alone, `DROP DATABASE ${name} WITH (FORCE)`))
    await runSql(urlOf(node), 'CREATE EXTENSION citus')
  }
  const url = urlOf(coordinator)
  await runSql(url, `SELECT citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  const switches: Awaited<ReturnType<typeof startPortSwitch>>[] = []
  for (const { port } of workers) {
    const way = await startPortSwitch({ after: (close) => cleanUp.defer(close) }, port)
    switches.push(way)
    await runSql(url, `SELECT citus_add_node('127.0.0.1', ${way.port})`)
  }
  return {
    url,
    workers: workers.map((worker, index) => ({
      url: urlOf(worker),
      goAway: () => switches[index]!.pointTo(nobody),
      comeBack: () => switches[index]!.pointTo(worker.port),
    })),
    remove: () => cleanUp.disposeAsync(),
  }
}

/** Migrated and distributed, with few shards: every statement over all of them is faster. */
export async function freshCitus(): Promise<FreshCitus> {
  const database = await emptyCitus()
  const store = { kind: 'postgres', url: database.url } as const
  await runSql(database.url, fewShards(database.url))
  await migrateStore(store)
  await distributeStore(store)
  return database
}

const fewShards = (url: string) =>
  `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET citus.shard_count = 8`

/** A port on which nothing listens. */
const nobody = 1

/** Statements that must not be in one transaction, on one connection. */
async function onAdmin(url: string, ...statements: string[]): Promise<void> {
  const { Client } = (await import('pg')).default
  const client = new Client(url)
  await client.connect()
  try {
    for (const sql of statements) await client.query(sql)
  } finally {
    await client.end()
  }
}
