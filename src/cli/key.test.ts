import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aFolder, complaintOf, textOf } from '../../test/support/command-line.ts'
import { createKey } from '../partners/create-key.ts'

describe('the key commands', { concurrency: 3 }, () => {
  test('create prints the new key and secret; list never does', async (t) => {
    const { run, json, acme } = await aFolder(t)
    const issued = await json('key', 'create', 'acme')
    assert.match(issued.signingSecret, /^pcs_/)
    assert.match(textOf(await run('key', 'create', 'acme')), /^export SIGNING_SECRET=pcs_/m)
    const [text, list] = await Promise.all([run('key', 'list', 'acme'), json('key', 'list', 'acme')])
    assert.equal(list.length, 3)
    const fields = ['keyId', 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt', 'clockDifferenceMs']
    assert.deepEqual(Object.keys(list[0]), fields)
    for (const id of [acme.keyId, issued.keyId]) assert.ok(textOf(text).includes(id))
    assert.doesNotMatch(text.stdout + JSON.stringify(list), /pcs_|pck_|sealed|secret|hash/i)
  })

  test('revoke ends one key, and refuses one that was revoked before', async (t) => {
    const { run, json, acme, operator, masterKey, partners } = await aFolder(t)
    const second = await createKey(operator, 'acme', masterKey)
    const revoked = await json('key', 'revoke', acme.keyId)
    assert.deepEqual([revoked.partnerId, revoked.keyId], ['acme', acme.keyId])
    assert.match(revoked.revokedAt, /^\d{4}-/)
    assert.match(
      complaintOf(await run('key', 'revoke', acme.keyId), 1),
      new RegExp(`the key "${acme.keyId}" was already revoked at ${revoked.revokedAt}`),
    )
    const { keys } = (await partners())[0]!
    assert.equal(keys.find(({ keyId }) => keyId === second.keyId)!.revokedAt, null)
    const row = new RegExp(`^${second.keyId} .*Z$`, 'm')
    assert.match(textOf(await run('key', 'revoke', second.keyId)), row)
  })

  test('rotate prints a new key, and the old one ends after the overlap', async (t) => {
    const { run, json, acme, partners } = await aFolder(t)
    const before = Date.now()
    const issued = await json('key', 'rotate', 'acme', '--overlap', '24h')
    const { keys } = (await partners())[0]!
    const { expiresAt } = keys.find(({ keyId }) => keyId === acme.keyId)!
    const day = 86_400_000
    assert.ok(expiresAt! >= before + day && expiresAt! <= Date.now() + day)
    assert.equal(keys.find(({ keyId }) => keyId === issued.keyId)!.expiresAt, null)
    assert.match(textOf(await run('key', 'rotate', 'acme', '--overlap', '0')), /^export API_KEY=pck_/m)
  })
})
