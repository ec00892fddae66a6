import { deepEqual, rejects } from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { servePostgres } from '../../src/stores/postgres/open.ts'
import { checkPooler } from '../../src/stores/postgres/pooler-check.ts'
import { freshPostgres } from '../support/fresh-database.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'

const database = await freshPostgres()
after(() => database.remove())

test('a server refuses to start behind a pooler that breaks prepared statements, and says what to do', async (t) => {
  const url = await startTransactionPooler(t, database.url)
  for (let start = 0; start < 3; start++) {
    const serving = servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
    await rejects(serving, /pooler that breaks prepared statements.*directly.*session mode.*1\.21/)
  }
})

test('PostgreSQL itself is not taken for a pooler', async () => {
  deepEqual(await checkPooler(database.url), [])
})
