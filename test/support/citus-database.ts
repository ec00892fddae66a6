import { randomBytes } from 'node:crypto'
import { distributeStore, migrateStore } from '../../src/stores/open.ts'
import { eventually } from './eventually.ts'
import { runSql } from './run-sql.ts'

/**
 * Any database on the coordinator of a Citus cluster whose nodes it knows, as a superuser who may connect to all of
 * them. Without it, tests that need a cluster are skipped.
 */
export const citusUrl = process.env.TEST_CITUS_URL

type Node = { host: string; port: number }

/** A new database on every node of the cluster, migrated and distributed, as an operator has it. */
export async function operatorsCitus(server = citusUrl): Promise<{ url: string; remove(): Promise<void> }> {
  const { url, remove } = await onAllNodes(server, async (node) => node)
  await distribute(url)
  return { url, remove }
}

/** Migrated first. */
export async function distribute(url: string): Promise<void> {
  const store = { kind: 'postgres', url } as const
  await migrateStore(store)
  await distributeStore(store)
}

/** One cluster after the other: Citus copies roles to a node that is added, and all databases of that node share them. */
let adding = Promise.resolve()

/** `addressOf` says how the coordinator reaches a worker. */
export async function onAllNodes(server: string | undefined, addressOf: (worker: Node) => Promise<Node>) {
  const { nodes, urlOf, remove } = await createOnAllNodes(server, 'template0')
  for (const node of nodes) await runSql(urlOf(node), 'CREATE EXTENSION citus')
  const [coordinator, ...workers] = nodes
  const { host, port } = coordinator!
  const url = urlOf(coordinator!)
  await runSql(url, `SELECT citus_set_coordinator_host('${host}', ${port})`)
  async function addWorkers(): Promise<void> {
    for (const worker of workers) {
      const { host, port } = await addressOf(worker)
      await runSql(url, `SELECT citus_add_node('${host}', ${port})`)
    }
  }
  adding = adding.catch(() => {}).then(addWorkers)
  await adding
  return { url, workers, workerUrls: workers.map((worker) => urlOf(worker)), remove }
}

/**
 * A distributed database that others are copied from, node by node: all that Citus knows of a database is inside it. That
 * takes a fraction of the time that distributing takes.
 */
export async function citusTemplate(server = citusUrl): Promise<{ name: string; remove(): Promise<void> }> {
  const { url, remove } = await operatorsCitus(server)
  const name = new URL(url).pathname.slice(1)
  for (const admin of (await nodesOf(server)).map(({ adminUrl }) => adminUrl)) {
    await runSql(admin, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await runSql(
      admin,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
  }
  return { name, remove }
}

export async function copyOfCitus(
  template: string,
  server = citusUrl,
): Promise<{ url: string; remove(): Promise<void> }> {
  const { nodes, urlOf, remove } = await createOnAllNodes(server, template)
  return { url: urlOf(nodes[0]!), remove }
}

async function createOnAllNodes(server: string | undefined, template: string) {
  const name = `test_${randomBytes(6).toString('hex')}`
  const nodes = await nodesOf(server)
  const cleanUp = new AsyncDisposableStack()
  await Promise.all(
    nodes.map(async ({ adminUrl }) => {
      await onAdmin(adminUrl, alone, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE ${template}`)
      cleanUp.defer(() => dropped(() => onAdmin(adminUrl, alone, `DROP DATABASE ${name} WITH (FORCE)`)))
    }),
  )
  const urlOf = (node: Node) => urlAt(server!, node, `/${name}`)
  return { nodes, urlOf, remove: () => cleanUp.disposeAsync() }
}

const alone = 'SET citus.enable_create_database_propagation = off'

/** The coordinator comes first. */
async function nodesOf(server: string | undefined): Promise<(Node & { adminUrl: string })[]> {
  if (server === undefined)
    throw new Error('set TEST_CITUS_URL to a database on the coordinator of a cluster')
  const nodes: Node[] = await runSql(
    server,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  )
  return nodes.map((node) => ({ ...node, adminUrl: urlAt(server, node, '/postgres') }))
}

function urlAt(server: string, { host, port }: Node, pathname: string): string {
  return Object.assign(new URL(server), { host: `${host}:${port}`, pathname }).href
}

/** What a crash has left between the two phases of a commit keeps its database until Citus has finished it. */
async function dropped(drop: () => Promise<void>): Promise<void> {
  const isDropped = () =>
    drop().then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== objectInUse) throw error
        return false
      },
    )
  await eventually('the database is dropped', isDropped, { withinMs: 60_000 })
}

const objectInUse = '55006'

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
