import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/stores/open.ts'
import { createClient } from '../support/client.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startServerProcess } from '../support/server-process.ts'

const masterKey = Buffer.alloc(32, 7)
const twenty = Array.from({ length: 20 })

async function aServer(t: TestContext) {
  const database = await freshDatabase()
  t.after(database.remove)
  const environment = { DATABASE_URL: database.url, MASTER_KEY: masterKey.toString('base64') }
  const store = await openStore(readConfig(environment).database)
  t.after(() => store.close())
  const operator = { store: store.partners, actor: 'test', now: 0 }
  const partner = { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null }
  const key = await createPartner(operator, partner, masterKey)
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)
  async function whileStopped(work: () => Promise<unknown>): Promise<void> {
    server.signal('SIGSTOP')
    await work()
    await sleep(1_200)
    server.signal('SIGCONT')
  }
  return { server, acme, whileStopped, revoke: () => revokeKey(operator, key.keyId) }
}

test('a key that is revoked while a server is stopped is refused from the moment it continues', async (t) => {
  const { acme, whileStopped, revoke } = await aServer(t)
  const awards = () => Promise.all(twenty.map(() => acme.award()))
  async function statusesAfter(meanwhile: () => Promise<unknown>): Promise<number[]> {
    const sent: ReturnType<typeof awards>[] = []
    await whileStopped(() => {
      sent.push(awards())
      return meanwhile()
    })
    return [...new Set((await sent[0]!).map(({ status }) => status))]
  }
  await awards()
  deepEqual(await statusesAfter(() => Promise.resolve()), [202])
  deepEqual(await statusesAfter(revoke), [401])
  equal((await acme.history('t1')).status, 401)
})

test('so it is for a request of which a part had arrived before', async (t) => {
  const { server, acme, whileStopped, revoke } = await aServer(t)
  const answer = sendRaw(server.url, inTwoParts())
  async function* inTwoParts() {
    const lines = [...headerLines(acme.headers('t1')), 'Host: a', 'Content-Length: 2']
    yield requestText('GET /v1/ep/webhook/awards?tenantId=t1 HTTP/1.1', lines, '{')
    await sleep(300)
    await whileStopped(revoke)
    yield '}'
  }
  equal((await answer).status, 401)
})
