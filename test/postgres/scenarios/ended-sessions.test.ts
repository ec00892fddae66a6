import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/clock.ts'
import { servePostgres } from '../../../src/stores/postgres/open.ts'
import type { Answer } from '../../support/client.ts'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { killSessions, openSession } from '../../support/database-sessions.ts'
import { freshPostgres } from '../../support/fresh-database.ts'
import { makePartner } from '../../support/operators.ts'
import { startService } from '../../support/service.ts'
import { anOrder } from '../../support/sqlite-ledger.ts'

test('while sessions that wait for a locked account are ended again and again, awards for other accounts are credited', async (t) => {
  const database = await freshPostgres()
  const { acme, globex } = await startService(t, { DATABASE_URL: database.url }, { nodes: 1, database })
  await Promise.all([acme.award(), globex.award()])
  const operator = await openSession(t, database.url)
  await operator.query(`BEGIN; SELECT FROM accounts WHERE partner_id = 'acme' FOR UPDATE`)

  let ended = 0
  const locked: Promise<Answer>[] = []
  const others: Promise<Answer>[] = []
  for (let round = 0; round < 30; round++) {
    locked.push(acme.award())
    others.push(globex.award())
    await sleep(100)
    if (round % 3 === 2) ended += await killSessions(database.url, `wait_event_type = 'Lock'`)
  }
  await operator.query('ROLLBACK')
  await Promise.all(locked)
  const statuses = (await Promise.all(others)).map(({ status }) => status)
  deepEqual(new Set(statuses), new Set([202]))
  ok(ended > 3, 'sessions were ended while they waited')
})

test('while a proxy cuts each connection that waits for a locked account, awards for other accounts are credited', async (t) => {
  const database = await freshPostgres()
  const { url, cuts } = await startCuttingProxy(t, database.url, { silentMaxMs: 900 })
  const caps = { perTx: 1_000, perPartnerDay: 1_000_000, perUserDay: 1_000_000 }
  const store = await servePostgres(url, { caps, clock: systemClock, warn() {} })
  t.after(() => store.close())
  const tenants = ['t1', 't2']
  await makePartner({ store: store.partners, actor: 'test', now: systemClock.now() }, { tenants })
  // Of one turn of the event loop, so that they share a batch.
  const award = (number: number) =>
    tenants.map((tenantId) =>
      store.ledger.award(anOrder(`${tenantId}-${number}`, { tenantId })).then(
        ({ kind }) => kind,
        ({ message }) => message,
      ),
    )
  await Promise.all(award(0))
  const operator = await openSession(t, database.url)
  await operator.query(`BEGIN; SELECT FROM accounts WHERE tenant_id = 't1' FOR UPDATE`)

  const cutBefore = cuts()
  const outcomes: Promise<string>[][] = []
  for (let round = 1; round <= 30; round++) {
    outcomes.push(award(round))
    await sleep(100)
  }
  await operator.query('ROLLBACK')
  const [, others] = await Promise.all(
    [0, 1].map((tenant) => Promise.all(outcomes.map((ofRound) => ofRound[tenant]!))),
  )
  deepEqual(new Set(others), new Set(['credited']))
  ok(cuts() - cutBefore > 1, 'connections were cut while they waited')
})
