import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anOrder, openSqliteLedger, verifyFile } from '../../../../test/support/sqlite-ledger.ts'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { Database, openDatabase } from '../database.ts'
import { followLedger } from './followed-ledger.ts'
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

test('awards that a damaged log has lost are noticed', async (t) => {
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
})
