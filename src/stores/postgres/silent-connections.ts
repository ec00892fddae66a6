import type { Pool, PoolClient } from 'pg'

/**
 * A firewall or a proxy that loses its state passes nothing more on the connections that exist, and tells nobody; new ones
 * work at once. Each idle one would be found by a request of its own, and each of these would wait in vain. So when one is lost
 * in use, those that have been idle since before it was taken are closed with it: nothing has come from them since. The
 * others have answered later, or are in use and have their own limit.
 */
export function closeSilentTogether(pool: Pool): void {
  let now = 0 // counts what happens
  const takenAt = new WeakMap<PoolClient, number>()
  const idleSince = new Map<PoolClient, number>()
  pool.on('acquire', (client) => {
    idleSince.delete(client)
    takenAt.set(client, ++now)
  })
  pool.on('release', (_error, client) => {
    if (!isLost(client)) return void idleSince.set(client, ++now)
    for (const [other, since] of idleSince) {
      if (since < takenAt.get(client)!) other.connection.stream.destroy()
    }
  })
  pool.on('remove', (client) => {
    idleSince.delete(client)
  })
}

/** The driver closes it when a statement has had no response in time. */
function isLost({ connection }: PoolClient): boolean {
  return connection.stream.destroyed
}
