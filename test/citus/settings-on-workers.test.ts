import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { citusUrl } from '../support/citus-database.ts'
import { openSession } from '../support/database-sessions.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

if (citusUrl !== undefined) {
  test('the settings of a batch are those of the workers in its transaction, and of no later one', async (t) => {
    const { url, store } = await aCitusLedger(t)
    const account = { partnerId: 'partner0', tenantId: 't1' }
    await store.ledger.award(anOrder('first', account))
    const session = await openSession(t, url)
    const names = ['synchronous_commit', 'lock_timeout', 'enable_seqscan', 'enable_hashjoin', 'jit']
    const onWorker = async () => {
      const { rows } = await session.query(
        `SELECT ${names.map((name) => `current_setting('${name}', seq < 0) AS ${name}`)}, current_setting('port', seq < 0) AS port
         FROM accounts WHERE partner_id = 'partner0' AND tenant_id = 't1'`,
      )
      return rows[0]
    }
    const { begin } = batchesOnCitus(noShardMap).lockWaits.short
    await session.query('SET synchronous_commit = local')
    for (const { text } of begin) await session.query(text)
    const { port, ...settings } = await onWorker()
    equal(port === new URL(url).port, false, 'a worker was asked')
    match(Object.values(settings).join(), /^on,2400ms,off,off,off$/)
    await session.query('COMMIT')
    match(Object.values(await onWorker()).join(), /^on,0,on,on,/)
  })
}
