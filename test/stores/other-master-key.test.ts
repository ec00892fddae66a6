import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { readConfig } from '../../src/config.ts'
import { proveMasterKey } from '../../src/access/master-key.ts'
import { serve } from '../../src/serve.ts'
import { openStore } from '../../src/stores/open.ts'
import { openRaw } from '../support/raw-database.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const keyOf = (byte: number) => Buffer.alloc(32, byte)

test('a server with another master key is refused before it has changed anything of the ledger, such as its default caps', async (t) => {
  const fresh = await freshDatabase()
  const settings = { DATABASE_URL: fresh.url, CAP_PER_TX: '5', PORT: '0', OPERATOR_PORT: '0' }
  const config = readConfig({ ...settings, MASTER_KEY: keyOf(2).toString('base64') })
  const store = await openStore(config.database)
  await proveMasterKey(store.partners, keyOf(1))
  const before = await store.partners.defaultCaps()
  equal(before.setAt, null)
  await rejects(
    serve(config, { log: pino({ level: 'silent' }) }),
    /the master key is not the one this database was made with/,
  )
  deepEqual(await store.partners.defaultCaps(), before)
  await store.close()
  const raw = await openRaw(config.database)
  t.after(async () => {
    await raw.close()
    await fresh.remove()
  })
  deepEqual(await raw.rows('SELECT action FROM audit'), [])
})
