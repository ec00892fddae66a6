import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aDirectory } from '../../test/support/directories.ts'
import { loadPartners } from '../../test/support/many-partners.ts'
import { aMasterKey, anOperator, makePartner } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { aNoon } from '../../test/support/test-clock.ts'
import { createKey } from '../partners/create-key.ts'
import { revokeKey } from '../partners/revoke-key.ts'
import { setPartnerRate } from '../partners/set-partner-rate.ts'
import { openSqlite } from '../stores/sqlite/open.ts'
import { type DirectorySource, openKeyDirectory } from './key-directory.ts'

const noError = (error: unknown) => {
  throw error
}

test('a key whose sealed secret was damaged is reported and not found; the others still work', async (t) => {
  const { path, operator, acme } = await aDirectory(t)
  const damaged = await createKey(operator, 'acme', aMasterKey)
  const database = new DatabaseSync(path)
  database.prepare("UPDATE keys SET sealed_secret = x'01' WHERE key_id = ?").run(damaged.keyId)
  database.close()
  const errors: Error[] = []
  const keys = await openKeyDirectory(operator.store, aMasterKey, (error) => errors.push(error as Error))
  t.after(() => keys.close())
  assert.equal(keys.find(damaged.apiKey, aNoon).caller(), undefined)
  assert.equal(keys.find(acme.apiKey, aNoon).caller()?.partnerId, 'acme')
  assert.deepEqual(
    errors.map(({ message }) => message),
    [`the secret of ${damaged.keyId} cannot be opened`],
  )
})

test('a key whose hash was damaged is not found; the others still work', async (t) => {
  const { path, operator, acme } = await aDirectory(t)
  const damaged = await createKey(operator, 'acme', aMasterKey)
  const database = new DatabaseSync(path)
  database.prepare("UPDATE keys SET api_key_hash = 'no hex' WHERE key_id = ?").run(damaged.keyId)
  database.close()
  const keys = await openKeyDirectory(operator.store, aMasterKey, noError)
  t.after(() => keys.close())
  assert.equal(keys.find(damaged.apiKey, aNoon).caller(), undefined)
  assert.equal(keys.find(acme.apiKey, aNoon).caller()?.partnerId, 'acme')
})

test('a key that SQL moves to another partner under a running server stops working: its secret cannot be decrypted there', async (t) => {
  const { path, operator, acme, keys, errors, aSecondPasses } = await aDirectory(t)
  await makePartner(operator, { partnerId: 'globex' })
  await aSecondPasses()
  const database = new DatabaseSync(path)
  database.prepare("UPDATE keys SET partner_id = 'globex' WHERE key_id = ?").run(acme.keyId)
  database.exec(everyPartnerChanged)
  database.close()
  await aSecondPasses()
  assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
  assert.deepEqual(errors.map(String), [`Error: the secret of ${acme.keyId} cannot be opened`])
})

test('partners that fill several pages are all found, and secrets that are known are not opened again', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const path = join(temporaryFolder(t), 'ledger.db')
  const store = openSqlite(path)
  t.after(() => store.close())
  const partners = await loadPartners(store, 500)
  const keys = await openKeyDirectory(store.partners, aMasterKey, noError)
  t.after(() => keys.close())
  for (const { apiKey, partnerId } of partners)
    assert.equal(keys.find(apiKey, aNoon).caller()?.partnerId, partnerId)

  const { secret } = keys.find(partners[7]!.apiKey, aNoon)
  await setPartnerRate({ store: store.partners, actor: 'test', now: aNoon }, partners[7]!.partnerId, 9)
  t.mock.timers.tick(250)
  await nextTurn()
  const found = keys.find(partners[7]!.apiKey, aNoon)
  assert.equal(found.caller()?.requestsPerSecond, 9)
  assert.equal(found.secret, secret)
})

/** As a restored backup looks, or whatever else happens behind the back of `changed_in`. */
const revokedBySql = 'UPDATE keys SET revoked_at = 0'

test('when the version goes back, as in a database restored from a backup, every partner is read', async (t) => {
  const { path, acme, keys, aSecondPasses } = await aDirectory(t)
  const database = new DatabaseSync(path)
  database.exec(`${revokedBySql}; UPDATE settings_version SET version = version - 1`)
  database.close()
  await aSecondPasses()
  assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
})

test('after the store was away only what changed is read: requests wait for it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const operator = anOperator(t, join(temporaryFolder(t), 'ledger.db'))
  const acme = await makePartner(operator)
  const globex = await makePartner(operator, { partnerId: 'globex' })
  const { settingsVersion, changedPartners } = operator.store
  const read: string[] = []
  const source: DirectorySource = {
    settingsVersion,
    async changedPartners(...page) {
      const partners = await changedPartners(...page)
      read.push(...partners.map(({ partnerId }) => partnerId))
      return partners
    },
  }
  const keys = await openKeyDirectory(source, aMasterKey, () => {})
  t.after(() => keys.close())
  assert.deepEqual(read.splice(0), ['acme', 'globex'])

  source.settingsVersion = () => Promise.reject(new Error('away'))
  t.mock.timers.tick(250)
  await nextTurn()
  await revokeKey(operator, globex.keyId)
  source.settingsVersion = settingsVersion
  t.mock.timers.tick(250)
  await nextTurn()
  assert.deepEqual(read, ['globex'])
  assert.equal(keys.find(globex.apiKey, aNoon).caller(), undefined)
  assert.equal(keys.find(acme.apiKey, aNoon).caller()?.partnerId, 'acme')
})

/** What a change by SQL has to do for servers to look again. */
const everyPartnerChanged = `
  UPDATE settings_version SET version = version + 1;
  UPDATE partners SET changed_in = (SELECT version FROM settings_version)`
