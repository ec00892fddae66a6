import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { servePostgres } from '../../src/stores/postgres/open.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

async function aLedgerWith(t: Parameters<typeof aStoreLedger>[0], setting: string) {
  const ledger = await aStoreLedger(t)
  const url = ledger.database.kind === 'postgres' ? ledger.database.url : ''
  await ledger.store.ledger.award(anOrder('A1'))
  await ledger.raw.rows(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`)
  return { ...ledger, url }
}

/** Without these, an award would be stored with other values, or sessions that wait for the standby are invisible. */
for (const setting of ['array_nulls', 'track_activities']) {
  test(`a server refuses to start with ${setting} off`, async (t) => {
    const { url } = await aLedgerWith(t, `${setting} = off`)
    const start = servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
    await rejects(start, new RegExp(`${setting} is off and must be on`))
  })
}

test('a ledger is sound however PostgreSQL writes its identifiers', async (t) => {
  const { verify } = await aLedgerWith(t, 'quote_all_identifiers = on')
  const { sound, fault } = await verify()
  equal(fault, null)
  equal(sound, true)
})
