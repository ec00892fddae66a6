import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anOrder, openSqliteLedger, verifyFile } from '../../../../test/support/sqlite-ledger.ts'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { databaseOf, exportOf, importInto } from '../../../../test/support/transfers.ts'
import { suspendPartner } from '../../../partners/set-partner-status.ts'
import { Database, openDatabase } from '../database.ts'
import { openLedgerQueries } from '../ledger-queries.ts'
import { watchAudit } from './audit-watch.ts'
import { followLedger } from './followed-ledger.ts'
import { OperatorFile } from './operator-file.ts'
import { openReadModel } from './read-model.ts'

/** Reads all entries of the ledger. */
function follow(path: string, warn: (message: string) => void): void {
  const operator = new Database(`${path}-operator`)
  const ledger = openDatabase(path, { readOnly: true })
  const model = openReadModel(operator, followLedger(ledger), {}, warn)
  while (model.follow() > 0);
  operator.close()
  ledger.close()
}

test('awards that a damaged log has lost are noticed, and the warning names changes by operators, too', async (t) => {
  const [folder, copied] = [temporaryFolder(t), temporaryFolder(t)]
  const path = join(folder, 'ledger.db')
  const { store } = await openSqliteLedger(t, path)
  for (let index = 0; index < 10; index++) await store.ledger.award(anOrder(`order-${index}`))
  follow(path, assert.fail)
  for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copied, name))
  const copy = join(copied, 'ledger.db')
  rmSync(`${copy}-shm`)
  const log = readFileSync(`${copy}-wal`)
  log[log.length >> 1]! ^= 1
  writeFileSync(`${copy}-wal`, log)

  const { sound, entries } = await verifyFile(copy)
  assert.ok(sound && entries < 10, 'what is left is a sound ledger')
  const warnings: string[] = []
  follow(copy, (message) => warnings.push(message))
  assert.match(warnings.join(), /its newest awards are lost, because its log was damaged/)
  assert.match(
    warnings.join(),
    /a revoked key or token, or a suspended partner, may work again\. Repeat them/,
  )
})

test('changes by operators that a restored backup does not have are noticed, also without an award after it', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, close } = await openSqliteLedger(t, path)
  const warningsOf = (file: string) => {
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const ledger = openDatabase(file, { readOnly: true })
    const operatorFile = new OperatorFile(path, {
      prepare: (database) => watchAudit(database, () => ledger, warn),
      warn,
    })
    operatorFile.use((look) => look())
    operatorFile.close()
    ledger.close()
    return warnings
  }
  assert.deepEqual(warningsOf(path), [])
  const backup = `${path}-backup`
  const source = openDatabase(path, { readOnly: true })
  source.exec(`VACUUM INTO '${backup}'`)
  source.close()
  const operator = { store: store.partners, actor: 'test', now: 0 }
  await suspendPartner(operator, 'acme')
  await close()
  assert.deepEqual(warningsOf(path), [])
  assert.match(
    warningsOf(backup).join(),
    /does not have the last change by an operator .* a suspended partner, may work again/,
  )
  assert.deepEqual(warningsOf(backup), [], 'it is said once')
})

test('a read model is not used for an import of its ledger, which has the entries in another order', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const database = databaseOf(`sqlite:${path}`)
  const { store, close } = await openSqliteLedger(t, path)
  const users = ['lan@example.vn', 'mai@example.vn', 'minh@example.vn', 'an@example.vn']
  // An export goes by account: there, too, the first is the first and the last the last.
  for (const [index, partnerId] of ['acme', 'globex', 'acme', 'globex'].entries())
    await store.ledger.award(anOrder(`order-${index}`, { partnerId, userEmail: users[index]! }))
  await close()
  follow(path, assert.fail)
  const file = await exportOf(database)
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  await importInto(database, file)
  const queries = openLedgerQueries(path)
  t.after(() => queries.close())
  for (const [index, userEmail] of users.entries()) {
    const slow = { say: assert.fail, show: () => {} }
    const found = await queries.entriesOfAddress({ tenantId: 't1', userEmail }, 10, slow)
    assert.deepEqual(
      found.map(({ orderId }) => orderId),
      [`order-${index}`],
    )
  }
})
