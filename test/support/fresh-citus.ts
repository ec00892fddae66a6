import { randomBytes } from 'node:crypto'
import { distributeStore, migrateStore } from '../../src/stores/open.ts'
import { startPortSwitch } from '../chaos/port-switch.ts'
import { type FreshDatabase, runSql } from './fresh-database.ts'

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
export type FreshCitus = FreshDatabase & { workers: Worker[] }

type Node = { host: string; port: number }

/** Empty, with the extension; the coordinator reaches each worker through a switch that a test can turn. */
export async function emptyCitus(): Promise<FreshCitus> {
  const cleanUp = new AsyncDisposableStack()
  const switches: Awaited<ReturnType<typeof startPortSwitch>>[] = []
  const { url, workerUrls, workers, remove } = await onAllNodes(citusUrl, async ({ port }) => {
    const way = await startPortSwitch({ after: (close) => cleanUp.defer(close) }, port)
    switches.push(way)
    return { host: '127.0.0.1', port: way.port }
  })
  return {
    url,
    workers: workers.map(({ port }, index) => ({
      url: workerUrls[index]!,
      goAway: () => switches[index]!.pointTo(nobody),
      comeBack: () => switches[index]!.pointTo(port),
    })),
    async remove() {
      await remove()
      await cleanUp.disposeAsync()
    },
  }
}

/** Migrated and distributed. */
export async function freshCitus(): Promise<FreshCitus> {
  const database = await emptyCitus()
  await distribute(database.url)
  return database
}

/** The same without the switches, which take time: as an operator has it. */
export async function operatorsCitus(server = citusUrl): Promise<FreshDatabase> {
  const { url, remove } = await onAllNodes(server, async (node) => node)
  await distribute(url)
  return { url, remove }
}

async function distribute(url: string): Promise<void> {
  const store = { kind: 'postgres', url } as const
  await migrateStore(store)
  await distributeStore(store)
}

/** `addressOf` says how the coordinator reaches a worker. */
async function onAllNodes(server: string | undefined, addressOf: (worker: Node) => Promise<Node>) {
  if (server === undefined)
    throw new Error('set TEST_CITUS_URL to a database on the coordinator of a cluster')
  const nodes: Node[] = await runSql(
    server,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  )
  const name = `test_${randomBytes(6).toString('hex')}`
  const urlOf = ({ host, port }: Node, path = `/${name}`) =>
    Object.assign(new URL(server), { host: `${host}:${port}`, pathname: path }).href
  const alone = 'SET citus.enable_create_database_propagation = off'
  const [coordinator, ...workers] = nodes as [Node, ...Node[]]
  const cleanUp = new AsyncDisposableStack()
  for (const node of nodes) {
    const admin = urlOf(node, '/postgres')
    await onAdmin(admin, alone, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
    cleanUp.defer(() => onAdmin(admin, alone, `DROP DATABASE ${name} WITH (FORCE)`))
    await runSql(urlOf(node), 'CREATE EXTENSION citus')
  }
  const url = urlOf(coordinator)
  await runSql(url, `SELECT citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
  for (const worker of workers) {
    const { host, port } = await addressOf(worker)
    await runSql(url, `SELECT citus_add_node('${host}', ${port})`)
  }
  return {
    url,
    workers,
    workerUrls: workers.map((worker) => urlOf(worker)),
    remove: () => cleanUp.disposeAsync(),
  }
}

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
