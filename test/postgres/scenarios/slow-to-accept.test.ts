import { equal } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/clock.ts'
import { openPostgres, servePostgres } from '../../../src/stores/postgres/open.ts'
import { freshPostgres } from '../../support/fresh-database.ts'
import { makePartner } from '../../support/operators.ts'
import { anOrder } from '../../support/sqlite-ledger.ts'

/** Longer than a health check waits, shorter than an award does. */
const acceptedAfterMs = 1_200

test('a server starts, and credits, although the busy database takes more than a second to accept a connection', async () => {
  const database = await freshPostgres()
  after(() => database.remove())
  const options = { caps: {}, clock: systemClock, warn: () => {} }
  const store = await servePostgres(await slowToAccept(database.url), options)
  after(() => store.close())
  const operators = await openPostgres(database.url)
  await makePartner({ store: operators.partners, actor: 'test', now: 0 }, { tenants: ['t1'] })
  await operators.close()
  equal((await store.ledger.award(anOrder('A1'))).kind, 'credited')
  const page = { partnerId: 'acme', tenantId: 't1', beforeSeq: null, limit: 1 }
  equal(JSON.parse(await store.ledger.historyPage(page)).items.length, 1)
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
