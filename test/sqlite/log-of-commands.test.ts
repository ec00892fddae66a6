import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { openDatabase } from '../../src/stores/sqlite/database.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { anAccount } from '../support/operator-accounts.ts'
import { aChange } from '../support/operators.ts'
import { temporaryFolder } from '../support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../support/sqlite-ledger.ts'

const megabyte = 1_000_000

test('the log stays short while commands alone change the ledger, beside a server that gets no award', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, clock, close } = await openSqliteLedger(t, path)
  for (let round = 1; round <= 4; round++) {
    growLogBy(path, 60 * megabyte)
    const command = openSqlite(path, { create: false })
    await setDefaultCaps({ store: command.partners, actor: 'test', now: clock.now() }, { perTx: round })
    await command.close()
    assert.ok(statSync(`${path}-wal`).size < 150 * megabyte, `in round ${round}`)
  }
  assert.equal((await store.ledger.award(anOrder('A1', { amount: 1000 }))).kind, 'credited')
  await close()
  assert.equal((await verifyFile(path)).sound, true)
})

test('the log stays short while the operator API alone changes the ledger, which it keeps open', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, clock, close } = await openSqliteLedger(t, path)
  const ofApi = openSqlite(path, { create: false })
  for (let round = 1; round <= 3; round++) {
    growLogBy(path, 60 * megabyte)
    await setDefaultCaps({ store: ofApi.partners, actor: 'test', now: clock.now() }, { perTx: round })
    assert.ok(statSync(`${path}-wal`).size < 150 * megabyte, `in round ${round}`)
    growLogBy(path, 60 * megabyte)
    const account = anAccount({ operatorId: `mai-${round}` })
    await ofApi.operators.changeOperator(
      account.operatorId,
      aChange({ action: 'operator create' }),
      () => account,
    )
    assert.ok(statSync(`${path}-wal`).size < 150 * megabyte, `in round ${round}, accounts`)
  }
  await ofApi.close()
  assert.equal((await store.ledger.award(anOrder('A1', { amount: 1000 }))).kind, 'credited')
  await close()
  assert.equal((await verifyFile(path)).sound, true)
})

/** As many small changes would. */
function growLogBy(path: string, bytes: number): void {
  const database = openDatabase(path)
  database.exec('CREATE TABLE IF NOT EXISTS bulk (id INTEGER PRIMARY KEY, bytes BLOB)')
  database.prepare('INSERT OR REPLACE INTO bulk VALUES (1, zeroblob(?))').run(bytes)
  database.close()
}
