import { serveStore } from '../../src/stores/open.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { openRaw } from '../support/raw-database.ts'
import { createTestClock } from '../support/test-clock.ts'
import { defaultCaps, type Deployment, type Node } from './deployment.ts'
import { breakPostgres, cutConnections, postgresFaults } from './postgres-faults.ts'

type PostgresNode = Node & { options: string; isDead: boolean; die(): void }

let nodesOpened = 0

/** Several nodes in one process, each with its own connections to one database. */
export async function openPostgresDeployment({ nodes: count }: { nodes: number }): Promise<Deployment> {
  breakPostgres()
  const { url, remove } = await freshDatabase('postgres')
  const clock = createTestClock()

  async function openNode(): Promise<PostgresNode> {
    // A setting without meaning, by which the node's connections are recognized.
    const options = `-c simulation.node=${++nodesOpened}`
    const own = Object.assign(new URL(url), { search: `?options=${encodeURIComponent(options)}` }).href
    const store = await serveStore(
      { kind: 'postgres', url: own },
      { caps: defaultCaps, clock, warn: () => {} },
    )
    const { promise: dead, resolve } = Promise.withResolvers<null>()
    const node = {
      store,
      options,
      dead,
      isDead: false,
      /** It loses all its connections and gets no new one. */
      die() {
        node.isDead = true
        void store.close().catch(() => {})
        cutConnections(options)
        resolve(null)
      },
    }
    return node
  }

  const nodes = await Promise.all(Array.from({ length: count }, openNode))
  const raw = await openRaw({ kind: 'postgres', url })
  return {
    clock,
    raw,
    nodes,
    faults: postgresFaults,
    mayBeAway: true,
    async crash(node) {
      nodes[node]!.die()
    },
    async reopen() {
      for (const [index, node] of nodes.entries()) if (node.isDead) nodes[index] = await openNode()
    },
    async close() {
      await raw.close()
      for (const node of nodes) await node.store.close()
      await remove()
    },
  }
}
