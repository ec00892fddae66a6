import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '../../test/support/eventually.ts'
import { aMasterKey, anOperator, makePartner } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { aNoon } from '../../test/support/test-clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import { revokeKey } from '../partners/revoke-key.ts'
import { openSqlite } from '../stores/sqlite/open.ts'
import { type DirectorySource, openKeyDirectory } from './key-directory.ts'

const noSettings = { number: 0, auditSeq: 0, auditHash: '', follows: false }

const noError = (error: unknown) => {
  throw error
}

test('when the store fails, the last state is served, the failure reported, and a later change found', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const path = join(temporaryFolder(t), 'ledger.db')
  const operator = anOperator(t, path)
  const acme = await makePartner(operator)
  let connection = openSqlite(path)
  const source: DirectorySource = {
    settingsVersion: (known) => connection.partners.settingsVersion(known),
    changedPartners: (...page) => connection.partners.changedPartners(...page),
  }
  const errors: unknown[] = []
  const keys = await openKeyDirectory(source, aMasterKey, (error) => errors.push(error))
  t.after(() => keys.close())

  await connection.close()
  await revokeKey(operator, acme.keyId)
  for (let polls = 1; polls <= 3; polls++) {
    t.mock.timers.tick(250)
    await nextTurn()
  }
  assert.equal(errors.length, 1, 'told once, not at every poll')
  assert.match(String(errors[0]), /not open/)
  assert.equal(keys.find(acme.apiKey, aNoon).caller()?.keyId, acme.keyId)

  connection = openSqlite(path)
  t.after(() => connection.close())
  t.mock.timers.tick(250)
  await nextTurn()
  assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
  assert.equal(errors.length, 1)
})

test('a store that fails between the two reads is asked again: no change is lost', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const path = join(temporaryFolder(t), 'ledger.db')
  const operator = anOperator(t, path)
  const acme = await makePartner(operator)
  const real = anOperator(t, path).store
  const away = () => Promise.reject(new Error('away'))
  const source = { settingsVersion: real.settingsVersion, changedPartners: real.changedPartners }
  const errors: unknown[] = []
  const keys = await openKeyDirectory(source, aMasterKey, (error) => errors.push(error))
  t.after(() => keys.close())
  source.changedPartners = away
  await revokeKey(operator, acme.keyId)
  t.mock.timers.tick(250)
  await nextTurn()
  assert.deepEqual(errors.map(String), ['Error: away'])
  source.changedPartners = real.changedPartners
  t.mock.timers.tick(250)
  await nextTurn()
  assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
})

test('a failure that comes after another one is reported, too, each of them once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let failure: string | null = null
  const source: DirectorySource = {
    settingsVersion: async () => {
      if (failure !== null) throw new Error(failure)
      return noSettings
    },
    changedPartners: async () => [],
  }
  const errors: unknown[] = []
  const keys = await openKeyDirectory(source, aMasterKey, (error) => errors.push(error))
  t.after(() => keys.close())
  for (failure of ['away', 'away', 'a row is damaged', 'away', 'a row is damaged', null, 'away']) {
    t.mock.timers.tick(250)
    await nextTurn()
  }
  assert.deepEqual(errors.map(String), ['Error: away', 'Error: a row is damaged', 'Error: away'])
})

test('keys that cannot be read for some seconds are a warning for operators, or make the server not ready if no request can be checked', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const source: DirectorySource = { settingsVersion: async () => noSettings, changedPartners: async () => [] }
  const keys = await openKeyDirectory(source, aMasterKey, () => {})
  t.after(() => keys.close())
  async function polls(count: number): Promise<void> {
    for (let poll = 1; poll <= count; poll++) {
      t.mock.timers.tick(250)
      await nextTurn()
    }
  }
  source.settingsVersion = () => Promise.reject(new Error('a row is damaged'))
  await polls(11)
  assert.deepEqual(keys.ready(), [])
  await polls(1)
  assert.deepEqual(keys.ready(), [
    'the keys cannot be read, and a revoked key is not noticed (a row is damaged)',
  ])
  source.settingsVersion = async () => noSettings
  await polls(1)
  assert.deepEqual(keys.ready(), [])

  source.settingsVersion = () => Promise.reject(new Unavailable('away'))
  await polls(11)
  assert.deepEqual(keys.ready(), [])
  await polls(1)
  assert.throws(() => keys.ready(), new Unavailable('the API keys cannot be read (away)'))
})

for (const [what, damaged] of [
  ['expiry', { keys: { expiresAt: 2 ** 63 } }],
  ['request rate', { requestsPerSecond: 2 ** 63 }],
] as const)
  test(`where the ${what} of a partner is damaged, its keys do not work, it is told once, and the others work`, async (t) => {
    const operator = anOperator(t, join(temporaryFolder(t), 'ledger.db'))
    const acme = await makePartner(operator)
    const globex = await makePartner(operator, { partnerId: 'globex', tenants: ['t1'] })
    const { store } = operator
    let version = 0
    const source: DirectorySource = {
      settingsVersion: async () => ({ ...noSettings, number: ++version }),
      changedPartners: async (after, limit) =>
        (await store.changedPartners(after, limit)).map((partner) =>
          partner.partnerId === 'globex'
            ? partner
            : {
                ...partner,
                ...damaged,
                keys: partner.keys.map((key) => ({ ...key, ...('keys' in damaged && damaged.keys) })),
              },
        ),
    }
    const told: string[] = []
    const keys = await openKeyDirectory(source, aMasterKey, (error) => told.push(String(error)))
    t.after(() => keys.close())
    const polled = version
    keys.poll()
    await eventually('it was read again', () => version > polled)
    await nextTurn()
    assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
    assert.equal(keys.find(globex.apiKey, aNoon).caller()?.partnerId, 'globex')
    assert.equal(told.length, 1)
    assert.match(told[0]!, /run verify$/)
  })

test('a store that does not respond is not asked again until it does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { promise: slow, resolve } = Promise.withResolvers<typeof noSettings>()
  let asked = 0
  const source: DirectorySource = {
    settingsVersion: () => (++asked === 2 ? slow : Promise.resolve(noSettings)),
    changedPartners: async () => [],
  }
  const keys = await openKeyDirectory(source, aMasterKey, noError)
  t.after(() => keys.close())
  t.mock.timers.tick(2_000)
  await nextTurn()
  assert.equal(asked, 2)
  resolve(noSettings)
  await nextTurn()
  t.mock.timers.tick(250)
  assert.equal(asked, 3)
})
