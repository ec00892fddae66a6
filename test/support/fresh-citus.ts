import { startPortSwitch } from '../chaos/port-switch.ts'
import { citusUrl, distribute, onAllNodes } from './citus-database.ts'
import type { FreshDatabase } from './fresh-database.ts'

type Worker = {
  /** The database on that node, not through the coordinator, to tamper with a shard. */
  url: string
  /** Until `comeBack`, the cluster cannot reach it. */
  goAway(): void
  comeBack(): void
}

/** A new database on every node of the cluster. Remove it after everything else is closed. */
export type FreshCitus = FreshDatabase & { workers: Worker[] }

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

/** A port on which nothing listens. */
const nobody = 1
