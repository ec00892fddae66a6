import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/stores/open.ts'
import { createClient } from '../support/client.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startServerProcess } from '../support/server-process.ts'

const masterKey = Buffer.alloc(32, 7)
const twenty = Array.from({ length: 20 })

test('a key that is revoked while a server is stopped is refused from the moment it continues', async (t) => {
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
  const awards = () => Promise.all(twenty.map(() => acme.award()))
  deepEqual(new Set((await awards()).map(({ status }) => status)), new Set([202]))

  for (const [settings, expected] of [
    ['are as before', 202],
    ['lack the key', 401],
  ] as const) {
    server.signal('SIGSTOP')
    const waiting = awards()
    if (settings === 'lack the key') await revokeKey(operator, key.keyId)
    await sleep(1_200)
    server.signal('SIGCONT')
    deepEqual(new Set((await waiting).map(({ status }) => status)), new Set([expected]), settings)
  }
  equal((await acme.history('t1')).status, 401)
})
