import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distributeStore } from '../../src/stores/open.ts'
import { freshDatabase } from '../support/fresh-database.ts'

test('plain PostgreSQL is refused with what is missing, and stays as it is', async (t) => {
  const { url, remove } = await freshDatabase()
  t.after(remove)
  await assert.rejects(
    distributeStore({ kind: 'postgres', url }),
    /plain PostgreSQL: distribute needs .* Citus/,
  )
})

test('the embedded ledger is refused', async () => {
  await assert.rejects(distributeStore({ kind: 'sqlite', path: 'any' }), /one file/)
})
