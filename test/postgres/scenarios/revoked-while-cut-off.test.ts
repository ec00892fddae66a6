import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/clock.ts'
import { createPartner } from '../../../src/partners/create-partner.ts'
import { revokeKey } from '../../../src/partners/revoke-key.ts'
import { openStore } from '../../../src/stores/open.ts'
import { createClient } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startServerProcess } from '../../support/server-process.ts'

const masterKey = Buffer.alloc(32, 7)

test('a node that was cut off from the database credits nothing under a key that was revoked meanwhile', async (t) => {
  const database = await freshPostgres()
  t.after(database.remove)
  const store = await openStore({ kind: 'postgres', url: database.url })
  t.after(() => store.close())
  const operator = { store: store.partners, actor: 'test', now: 0 }
  const partner = { name: 'A partner', tenants: ['t1'], perTx: null, perPartnerDay: null }
  const acmesKey = await createPartner(operator, { ...partner, partnerId: 'acme' }, masterKey)
  const globexsKey = await createPartner(operator, { ...partner, partnerId: 'globex' }, masterKey)
  const wire = await startWire(t, database.url)
  const server = await startServerProcess({
    DATABASE_URL: wire.url,
    MASTER_KEY: masterKey.toString('base64'),
  })
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, acmesKey, systemClock)
  const globex = createClient(server.url, globexsKey, systemClock)
  equal((await acme.award()).status, 202)
  const entryCount = async () => (await runSql(database.url, 'SELECT count(*)::int FROM entries'))[0].count

  wire.cut()
  await revokeKey(operator, acmesKey.keyId)
  await sleep(1_500)
  const sent: Promise<number>[] = []
  const sendSome = () => void sent.push(...[1, 2, 3].map(() => acme.award().then(({ status }) => status)))
  const sending = setInterval(sendSome, 50)
  await sleep(2_000)
  wire.reconnect()
  await eventually('others are credited again', async () => (await globex.award()).status === 202)
  clearInterval(sending)
  const statuses = new Set(await Promise.all(sent))
  statuses.delete(503)
  deepEqual(statuses, new Set([401]))
  equal(await entryCount(), 2, "acme's first award, and the one of globex")
})

/** A way to the database that can be cut. What is sent meanwhile arrives afterwards. */
async function startWire(t: TestContext, databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  function carry(from: Socket, to: Socket): void {
    sockets.add(from)
    from.pipe(to)
    if (isCut) from.pause()
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname)
    carry(client, server)
    carry(server, client)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.after(() => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port: listening } = listener.address() as AddressInfo
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${listening}` }).href,
    cut() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    reconnect() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
  }
}
