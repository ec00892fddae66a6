import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { NotPassed } from '../../src/partners/pass-accounts.ts'
import { Refused } from '../../src/partners/refused.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { passAccounts } from '../../src/stores/postgres/pass-accounts.ts'
import { lockWaits, openSession, urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { anApi } from '../support/operator-api.ts'
import { type Lifetime, startService } from '../support/service.ts'

const lower = { perTx: 1, perPartnerDay: undefined }
const changes: [string, (operator: Operator) => Promise<unknown>][] = [
  ['suspend', (operator) => suspendPartner(operator, 'acme')],
  ['a lower cap of the partner', (operator) => setPartnerCaps(operator, 'acme', lower, undefined)],
  ['a lower cap of the grant', (operator) => setPartnerCaps(operator, 'acme', lower, 't1')],
  ['a lower cap of the tenant', (operator) => setTenantCaps(operator, 't1', 1)],
  ['a lower default cap', (operator) => setDefaultCaps(operator, { perTx: 1 })],
  ['deny', (operator) => denyTenant(operator, 'acme', 't1')],
]

/** What an award's transaction does until it has read its grants. */
const lockedAccount = `BEGIN; SELECT * FROM accounts WHERE partner_id = 'acme' AND tenant_id = 't1' FOR UPDATE`
const firstAward = `BEGIN; INSERT INTO accounts VALUES ('acme', 't1', 0, '\\x', 0, 0, 0)`

test('while an award that began before it may still commit', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const url = urlOf(service)
  const [, suspend] = changes[0]!

  await t.test('suspend does not return, also when it is the very first award of the account', async (t) => {
    await endsAfter(t, url, firstAward, () => service.operate(suspend))
    deepEqual(await runSql(url, 'SELECT * FROM accounts'), [], 'rows made to be locked are gone')
    await service.operate((operator) => resumePartner(operator, 'acme'))
    equal((await service.acme.award()).status, 202)
  })

  for (const [what, change] of changes) {
    await t.test(`${what} does not return`, (t) =>
      endsAfter(t, url, lockedAccount, () => service.operate(change)),
    )
  }

  // The last change above has denied acme the tenant: its award may have been decided before that.
  for (const [what, change] of changes.filter(
    ([name]) => name === 'suspend' || name === 'a lower default cap' || name.endsWith('of the tenant'),
  )) {
    await t.test(`${what} does not return where another operator has just denied the tenant`, (t) =>
      endsAfter(t, url, lockedAccount, () => service.operate(change)),
    )
  }
})

test('a lower default cap does not return, either, if another operator denies the tenant while it asks for the accounts', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  equal((await service.acme.award()).status, 202)
  let denied: Promise<unknown> | undefined
  /** What is read first. The other operator waits for the award, too. */
  async function thenDeny<T>(reading: Promise<T>): Promise<T> {
    const read = await reading
    if (denied !== undefined) return read
    denied = service.operate((operator) => denyTenant(operator, 'acme', 't1'))
    await lockWaits(urlOf(service))
    return read
  }
  const lowerDefault = ({ store, ...operator }: Operator) => {
    const interrupted: Operator['store'] = {
      ...store,
      grantedAccounts: () => thenDeny(store.grantedAccounts()),
      deniedAccounts: (since) => thenDeny(store.deniedAccounts(since)),
    }
    return setDefaultCaps({ ...operator, store: interrupted }, { perTx: 1 })
  }
  let isBack = false
  const award = await openSession(t, urlOf(service))
  await award.query(lockedAccount)
  const change = service.operate(lowerDefault).then(() => {
    isBack = true
  })
  await Promise.race([lockWaits(urlOf(service), 2), change])
  equal(isBack, false)
  await award.query('ROLLBACK')
  await Promise.all([change, denied])
})

test('a change that waits for its turn while its account is disabled is refused with 401, and nothing of it is written', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const api = await anApi(t, service)
  const url = urlOf(service)
  const disabling = await openSession(t, url)
  await disabling.query('BEGIN; UPDATE settings_version SET version = version + 1')
  const change = { method: 'POST', path: '/partners/acme/suspend', body: { reason: 'ticket 7' } }
  const waiting = api.as('support', change)
  await lockWaits(url)
  await disabling.query(`UPDATE operators SET status = 'disabled' WHERE operator_id = 'a-support'; COMMIT`)
  const { status, body } = await waiting
  deepEqual([status, body.code], [401, 'NOT_SIGNED_IN'])
  deepEqual(await runSql(url, `SELECT 1 FROM audit WHERE action = 'partner suspend'`), [])
})

test('while two changes wait for a locked account, the API goes on answering, and makes a third one', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const api = await anApi(t, service)
  const url = urlOf(service)
  await service.acme.award()
  const award = await openSession(t, url)
  await award.query(lockedAccount)
  const change = (path: string) => ({ method: 'POST', path, body: { reason: 'ticket 7' } })
  const waiting = [1, 2].map(() => api.as('admin', change('/partners/acme/suspend')))
  await lockWaits(url, 2)
  const waits = () =>
    runSql(url, `SELECT pid, query_start FROM pg_stat_activity WHERE wait_event_type = 'Lock' ORDER BY pid`)
  const before = await waits()
  equal((await api.as('viewer', { path: '/partners' })).status, 200)
  equal((await api.as('admin', change('/partners/acme/resume'))).status, 200)
  deepEqual(await waits(), before, 'neither has waited for a connection of theirs')
  await award.query('ROLLBACK')
  for (const { status } of await Promise.all(waiting)) equal(status, 200)
})

async function endsAfter(
  t: Lifetime,
  url: string,
  begin: string,
  change: () => Promise<unknown>,
): Promise<void> {
  const award = await openSession(t, url)
  await award.query(begin)
  const [before] = await runSql(url, 'SELECT version FROM settings_version')
  let returned = false
  const changed = change().then(() => {
    returned = true
  })
  await eventually('the change is committed', async () => {
    const [now] = await runSql(url, 'SELECT version FROM settings_version')
    return now.version !== before.version
  })
  await Promise.race([lockWaits(url), changed])
  equal(returned, false)
  await award.query('ROLLBACK')
  await changed
}

test('accounts that stay locked are named after a bounded time; the change stands, and the next run waits again', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const url = urlOf(service)
  equal((await service.acme.award()).status, 202)
  const pool = openPool(url, { connectionsMax: 1 })
  t.after(() => pool.end())
  const award = await openSession(t, url)
  await award.query(lockedAccount)
  await service.operate(async (operator) => {
    const store: Operator['store'] = {
      ...operator.store,
      passAccounts: (accounts) => passAccounts(pool, accounts, { waitMaxMs: 200 }),
    }
    const impatient = { ...operator, store }
    await rejects(suspendPartner(impatient, 'acme'), (error: Error) => {
      ok(error instanceof NotPassed)
      match(error.message, /^the change is committed, but 1 of 2 accounts .*\(acme in t1\)\. .*again/)
      return true
    })
    await rejects(denyTenant(impatient, 'acme', 't1'), NotPassed)
    await rejects(denyTenant(impatient, 'acme', 't1'), NotPassed, 'the second run waits too')
    await award.query('ROLLBACK')
    await rejects(denyTenant(impatient, 'acme', 't1'), Refused, 'nothing is left to wait for')
    await suspendPartner(impatient, 'acme')
  })
  equal((await service.acme.award({ tenantId: 't2' })).body.code, 'PARTNER_SUSPENDED')
})

test('a thousand accounts are passed, the held one last, and none of them is left behind as a row', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const url = urlOf(service)
  equal((await service.acme.award()).status, 202)
  await service.operate((operator) => allowTenant(operator, 'acme', 't3'))
  const rows = await runSql(url, 'SELECT * FROM accounts')
  const pool = openPool(url, { connectionsMax: 1 })
  t.after(() => pool.end())
  const tenants = ['t1', 't3', ...Array.from({ length: 1000 }, (_, index) => `t-${index}`)]
  const accounts = tenants.map((tenantId) => ({ partnerId: 'acme', tenantId }))
  const award = await openSession(t, url)
  await award.query(lockedAccount)
  const passed = passAccounts(pool, accounts)
  await lockWaits(url)
  const free = { tenantId: 't2', userEmail: 'other@example.com' }
  equal((await service.acme.award(free)).status, 202, 'others do not wait')
  await award.query('ROLLBACK')
  deepEqual(await passed, [])
  const after = await runSql(url, `SELECT * FROM accounts WHERE tenant_id <> 't2'`)
  deepEqual(after, rows)
})
