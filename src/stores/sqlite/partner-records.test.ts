import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { anOperator, makePartner } from '../../../test/support/operators.ts'
import { temporaryFolder } from '../../../test/support/service.ts'
import { allowTenant } from '../../partners/allow-tenant.ts'

test('two operators at once lose neither’s change', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const [one, other] = [anOperator(t, path), anOperator(t, path)]
  await makePartner(one)
  await Promise.all([
    ...['a1', 'a2', 'a3'].map((tenant) => allowTenant(one, 'acme', tenant)),
    ...['b1', 'b2', 'b3'].map((tenant) => allowTenant(other, 'acme', tenant)),
  ])
  const [acme] = await one.store.partners()
  assert.deepEqual(
    acme!.grants.map(({ tenantId }) => tenantId),
    ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 't1'],
  )
})

test('a value is put once: the first value stands, and everyone is given it', async (t) => {
  const operator = anOperator(t, join(temporaryFolder(t), 'ledger.db'))
  assert.deepEqual(await operator.store.putIfAbsent('a', Uint8Array.of(1)), Uint8Array.of(1))
  assert.deepEqual(await operator.store.putIfAbsent('a', Uint8Array.of(2)), Uint8Array.of(1))
  assert.deepEqual(await operator.store.putIfAbsent('b', Uint8Array.of(2)), Uint8Array.of(2))
})
