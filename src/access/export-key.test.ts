import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { aMasterKey, anOperator } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { exportKey } from './export-key.ts'
import { proveMasterKey, WrongMasterKey } from './master-key.ts'

const otherKey = aMasterKey.map((byte) => byte ^ 1)

test('the key of an export is the same for the same master key, and another one for another', () => {
  const [one, again, other] = [aMasterKey, aMasterKey, otherKey].map((key) => exportKey(key))
  assert.deepEqual([one!.id, one!.key], [again!.id, again!.key])
  assert.notEqual(one!.id, other!.id)
  assert.notDeepEqual(one!.key, other!.key)
  assert.match(one!.id, /^[0-9a-f]{16}$/)
  assert.equal(one!.key.length, 32)
})

test('it is neither the master key nor tells anything of it, and stays what it is', () => {
  const { id, key } = exportKey(aMasterKey)
  assert.ok(!Buffer.from(aMasterKey).equals(key))
  // Old exports must stay readable: these two may never change.
  assert.equal(id, '19f10185cb56d9d2')
  assert.equal(key.toString('hex').slice(0, 16), '501d1eddb5e19015')
})

test('what a ledger remembers of its master key is checked, anything else it keeps is not', async (t) => {
  const { store } = anOperator(t, join(temporaryFolder(t), 'ledger.db'))
  await proveMasterKey(store, aMasterKey)
  const check = await store.putIfAbsent('master-key-check', new Uint8Array())
  exportKey(aMasterKey).checkStoredValue('master-key-check', check)
  exportKey(otherKey).checkStoredValue('something else', check)
  assert.throws(() => exportKey(otherKey).checkStoredValue('master-key-check', check), {
    constructor: WrongMasterKey,
    message: /MASTER_KEY/,
  })
})
