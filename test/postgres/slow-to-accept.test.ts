import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { servePostgres } from '../../src/stores/postgres/open.ts'
import { freshPostgres } from '../support/fresh-database.ts'

/** Longer than an award may wait for a connection, shorter than a command does. */
const acceptedAfterMs = 1_500

test('a server starts although the busy database takes more than a second to accept a connection', async () => {
  const database = await freshPostgres()
  after(() => database.remove())
  const store = await servePostgres(await slowToAccept(database.url), {
    caps: {},
    clock: systemClock,
    warn: () => {},
  })
  await store.close()
})

/** The address of a proxy that is quick only once a connection is there. */
async function slowToAccept(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  const proxy = createServer(async (socket) => {
    await sleep(acceptedAfterMs)
    const server = connect(Number(port), hostname)
    for (const end of [socket, server]) sockets.push(end.on('error', () => {}))
    socket.pipe(server).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  after(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = proxy.address() as { port: number }
  return Object.assign(new URL(url), { host: `127.0.0.1:${address.port}` }).href
}
