import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { lockWaits, openSession } from '../support/database-sessions.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { startService } from '../support/service.ts'

/** A database administrator may have made any of these the default; our promises do not depend on it. */
for (const isolation of ['read committed', 'repeatable read', 'serializable']) {
  test(`an award that had to wait is decided by the settings of the moment after (${isolation})`, async (t) => {
    const database = await freshPostgres()
    const { url } = database
    const name = new URL(url).pathname.slice(1)
    await runSql(url, `ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
    const { acme, operate, verify } = await startService(t, {}, { nodes: 3, database })

    equal((await acme.award()).status, 202)
    const caps = { perTx: undefined, perPartnerDay: 45 }
    await operate((operator) => setPartnerCaps(operator, 'acme', caps, 't1'))
    const answers = await Promise.all(Array.from({ length: 64 }, () => acme.award({ amount: 1000 })))
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    deepEqual(statuses, [...Array(40).fill(202), ...Array(24).fill(429)])

    const other = await openSession(t, url)
    await other.query('BEGIN; SELECT * FROM accounts FOR UPDATE')
    const award = acme.award({ amount: 1000 })
    await lockWaits(url)
    // It is committed at once, and returns when no transaction holds the account any more.
    const suspended = operate((operator) => suspendPartner(operator, 'acme'))
    await lockWaits(url, 2)
    await other.query('ROLLBACK')
    equal((await award).body.code, 'PARTNER_SUSPENDED')
    await suspended
    equal((await verify()).sound, true)
  })
}
