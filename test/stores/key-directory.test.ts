import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type DirectorySource, openKeyDirectory } from '../../src/access/key-directory.ts'
import { readConfig } from '../../src/config.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { type DatabaseLocation, migrateStore, openStore } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { loadPartners } from '../support/many-partners.ts'
import { aMasterKey } from '../support/operators.ts'
import { aNoon } from '../support/test-clock.ts'

const partnersCount = 5_000

/** A directory on its own store, and how many partners each of its reads returned. */
async function aDirectory(database: DatabaseLocation) {
  const store = await openStore(database)
  const pages: number[] = []
  const source: DirectorySource = {
    settingsVersion: (known) => store.partners.settingsVersion(known),
    async changedPartners(...page) {
      const partners = await store.partners.changedPartners(...page)
      pages.push(partners.length)
      return partners
    },
  }
  const keys = await openKeyDirectory(source, aMasterKey, (error) => {
    throw error
  })
  const close = async () => {
    keys.close()
    await store.close()
  }
  return { keys, pages, close }
}

test('of thousands of partners, a change makes a running server read and open only the one that changed', async (t) => {
  const { url, remove } = await freshDatabase()
  const { database } = readConfig({ DATABASE_URL: url, MASTER_KEY: Buffer.alloc(32).toString('base64') })
  await migrateStore(database)
  const store = await openStore(database)
  const { keys, pages, close } = await aDirectory(database)
  t.after(async () => {
    await close()
    await store.close()
    await remove()
  })
  const partners = await loadPartners(store, partnersCount)
  const [first, second, last] = [partners[0]!, partners[1]!, partners.at(-1)!]
  const isKnown = ({ apiKey }: { apiKey: string }) => keys.find(apiKey, aNoon).caller() !== undefined

  await eventually('a server that runs during an import finds its partners', () => isKnown(last))
  ok(partners.every(isKnown))
  const read = pages.reduce((sum, page) => sum + page)
  equal(read, partnersCount)
  ok(Math.max(...pages) <= 250, `a few at a time: ${Math.max(...pages)}`)

  pages.length = 0
  const { secret } = keys.find(second.apiKey, aNoon)
  await revokeKey({ store: store.partners, actor: 'test', now: aNoon }, first.keyId)
  await eventually('the revoked key is gone', () => !isKnown(first))
  deepEqual(pages, [1])
  equal(keys.find(second.apiKey, aNoon).secret, secret, 'no other secret was opened')
})
