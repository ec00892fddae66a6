import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'

test('a running server keeps the search index, and makes it again when its file was deleted', async (t) => {
  const { acme, config } = await startService(t)
  assert.equal(config.database.kind, 'sqlite')
  const file = `${config.database.kind === 'sqlite' ? config.database.path : ''}-operator`
  /** How many entries it has. A file that is just being made has none. */
  function indexed(): number {
    try {
      const operator = new DatabaseSync(file, { readOnly: true })
      try {
        return operator.prepare('SELECT count(*) AS count FROM by_id').get()!.count as number
      } finally {
        operator.close()
      }
    } catch {
      return 0
    }
  }
  for (const orderId of ['A1', 'A2']) assert.equal((await acme.award({ orderId })).status, 202)
  await eventually('both are in the index', async () => indexed() === 2)
  for (const companion of ['', '-wal', '-shm']) rmSync(`${file}${companion}`, { force: true })
  assert.equal((await acme.award({ orderId: 'A3' })).status, 202)
  await eventually('all three are in the new index', async () => indexed() === 3)
})
