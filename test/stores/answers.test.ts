import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '../../src/answers/audit.ts'
import { partnerWithCaps } from '../../src/answers/partner-caps.ts'
import { usage } from '../../src/answers/usage.ts'
import { userHistory } from '../../src/answers/user-history.ts'
import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { isoTime } from '../../src/rules/iso-time.ts'
import { vietnamDay } from '../../src/rules/vietnam-day.ts'
import { awardTogether } from '../support/award-together.ts'
import { storeKind } from '../support/fresh-database.ts'
import { aQueriedLedger } from '../support/queries.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import type { StoreLedger } from '../support/store-ledger.ts'

const caps = { perTx: 100, perPartnerDay: 200, perUserDay: 150 }
const slow = { say: () => {}, show: () => {} }
const ep = (points: number) => points * 1000
const day = 86_400_000

async function award({ store }: StoreLedger, orderId: string, order: Parameters<typeof anOrder>[1]) {
  const [outcome] = await awardTogether(store.ledger, [anOrder(orderId, order)])
  assert.equal(outcome!.kind, 'credited')
}

test('usage has each account against its cap as a number, the fullest first, and the users nearest to theirs', async (t) => {
  const ledger = await aQueriedLedger(t, caps)
  const { operator, clock, queries } = ledger
  await allowTenant(operator, 'acme', 'test', 'sandbox')
  await setPartnerCaps(operator, 'acme', { perTx: undefined, perPartnerDay: 400 }, 't2')
  await setTenantCaps(operator, 't2', 90)
  await award(ledger, 'A1', { amount: ep(60), userEmail: 'ann@example.com' })
  await award(ledger, 'A2', { amount: ep(60), userEmail: 'bob@example.com' })
  await award(ledger, 'A3', { tenantId: 't2', amount: ep(80), userEmail: 'ann@example.com' })
  await award(ledger, 'A4', { tenantId: 'test', amount: ep(10), userEmail: 'ann@example.com' })
  await award(ledger, 'B1', { partnerId: 'globex', amount: ep(70), userEmail: 'ann@example.com' })

  const now = clock.now()
  const answer = await usage(queries, { day: vietnamDay(now), now })
  assert.equal(answer.isOver, false)
  assert.equal(answer.day, '2026-11-15')
  assert.equal(answer.endsAt, '2026-11-15T17:00:00.000Z')
  const byDefault = { limit: 200, from: 'default' }
  assert.deepEqual(answer.accounts, [
    { partnerId: 'acme', tenantId: 't1', sandbox: false, awards: 2, points: 120, perPartnerDay: byDefault },
    { partnerId: 'globex', tenantId: 't1', sandbox: false, awards: 1, points: 70, perPartnerDay: byDefault },
    {
      partnerId: 'acme',
      tenantId: 't2',
      sandbox: false,
      awards: 1,
      points: 80,
      perPartnerDay: { limit: 400, from: 'partner in tenant' },
    },
    { partnerId: 'acme', tenantId: 'test', sandbox: true, awards: 1, points: 10, perPartnerDay: byDefault },
  ])
  assert.deepEqual(answer.tenants, [
    {
      tenantId: 't1',
      sandbox: false,
      perUserDay: { limit: 150, from: 'default' },
      users: [
        { userEmail: 'ann@example.com', points: 130 },
        { userEmail: 'bob@example.com', points: 60 },
      ],
    },
    {
      tenantId: 't2',
      sandbox: false,
      perUserDay: { limit: 90, from: 'tenant' },
      users: [{ userEmail: 'ann@example.com', points: 80 }],
    },
    {
      tenantId: 'test',
      sandbox: true,
      perUserDay: { limit: 150, from: 'default' },
      users: [{ userEmail: 'ann@example.com', points: 10 }],
    },
  ])
})

test('usage of a day that is over has the caps of its last awards, whatever was set later', async (t) => {
  const ledger = await aQueriedLedger(t, caps)
  const { operator, clock, queries } = ledger
  await award(ledger, 'A1', { amount: ep(60) })
  const yesterday = vietnamDay(clock.now())
  clock.advance(day)
  await setDefaultCaps(operator, { perPartnerDay: 7, perUserDay: 3 })
  const { isOver, accounts, tenants } = await usage(queries, { day: yesterday, now: clock.now() })
  assert.equal(isOver, true)
  assert.deepEqual(accounts[0]!.perPartnerDay, { limit: 200, from: null })
  assert.deepEqual(tenants[0]!.perUserDay, { limit: 150, from: null })
})

test('usage of one partner or tenant is about nothing else; a partner is shown with what it has not used', async (t) => {
  const ledger = await aQueriedLedger(t, caps)
  const { clock, queries } = ledger
  await award(ledger, 'A1', { amount: ep(60) })
  await award(ledger, 'B1', { partnerId: 'globex', amount: ep(70) })
  const today = { day: vietnamDay(clock.now()), now: clock.now() }
  const acme = await usage(queries, { ...today, partnerId: 'acme' })
  assert.deepEqual(
    acme.accounts.map(({ partnerId, tenantId, points }) => [partnerId, tenantId, points]),
    [
      ['acme', 't1', 60],
      ['acme', 't2', 0],
    ],
  )
  assert.deepEqual(
    acme.tenants[0]!.users,
    [{ userEmail: 'lan@example.vn', points: 130 }],
    'from all partners',
  )
  assert.deepEqual((await usage(queries, { ...today, tenantId: 't2' })).accounts, [])
  await assert.rejects(
    usage(queries, { ...today, partnerId: 'acm' }),
    /no partner "acm" \(did you mean "acme"\?\)/,
  )
  await assert.rejects(
    usage(queries, { ...today, tenantId: 't11' }),
    /no tenant "t11" \(did you mean "t1"\?\)/,
  )
})

test("a user's history has every partner's awards with their notes, newest first, the total and today's use", async (t) => {
  const ledger = await aQueriedLedger(t, caps)
  const { clock, queries } = ledger
  const userEmail = 'ann@example.com'
  await award(ledger, 'A1', { amount: ep(5) + 999, userEmail, note: 'welcome' })
  clock.advance(day)
  await award(ledger, 'A2', { amount: ep(7), userEmail })
  clock.advance(1000)
  await award(ledger, 'B1', { partnerId: 'globex', amount: ep(8), userEmail, note: 'thanks' })
  await award(ledger, 'A3', { tenantId: 't2', amount: ep(50), userEmail })
  await award(ledger, 'A4', { amount: ep(50), userEmail: 'bob@example.com' })

  const question = { tenantId: 't1', userEmail: 'Ann@Example.com', limit: 10, now: clock.now() }
  const history = await userHistory(queries, question, slow)
  assert.equal(history.userEmail, userEmail)
  assert.equal(history.total, 20)
  assert.deepEqual(history.today, { day: '2026-11-16', points: 15, limit: 150, from: 'default' })
  assert.deepEqual(
    history.awards.map(({ orderId, partnerId, points, rawAmount, note }) => {
      return [orderId, partnerId, points, rawAmount, note]
    }),
    [
      ['B1', 'globex', 8, 8000, 'thanks'],
      ['A2', 'acme', 7, 7000, null],
      ['A1', 'acme', 5, 5999, 'welcome'],
    ],
  )
  assert.equal(history.awards[0]!.awardedAt, isoTime(clock.now()))
  assert.equal(history.hasMore, false)
  const newest = await userHistory(queries, { ...question, limit: 1 }, slow)
  assert.deepEqual([newest.awards.length, newest.hasMore, newest.total], [1, true, 20])
  const nobody = await userHistory(queries, { ...question, userEmail: 'nobody@example.com' }, slow)
  assert.deepEqual([nobody.awards, nobody.total], [[], 0])
  await assert.rejects(
    userHistory(queries, { ...question, userEmail: 'ann' }, slow),
    /"ann" is not an address/,
  )
})

test('the audit shows who changed what, before and after, with the reason, newest first', async (t) => {
  const { operator, queries, clock } = await aQueriedLedger(t, caps)
  const mai = {
    ...operator,
    actor: 'mai',
    reason: 'ticket 7',
    origin: 'command line' as const,
    address: 'desk',
  }
  const later = clock.now() + 5000
  await setPartnerCaps({ ...mai, now: later }, 'acme', { perTx: 50, perPartnerDay: 300 }, undefined)
  await denyTenant({ ...mai, now: later + 1000, reason: null }, 'acme', 't2')
  await setTenantCaps({ ...mai, now: later + 2000 }, 't1', 10)

  const { changes, older } = await audit(queries, { partnerId: 'acme', limit: 2 })
  assert.equal(older, 1, 'the creation')
  assert.deepEqual(
    changes.map(({ action, reason, at }) => [action, reason, at]),
    [
      ['partner deny', null, isoTime(later + 1000)],
      ['partner caps', 'ticket 7', isoTime(later)],
    ],
  )
  assert.deepEqual(changes[1]!.changes, [
    { field: 'perTx', before: null, after: 50 },
    { field: 'perPartnerDay', before: null, after: 300 },
  ])
  assert.deepEqual(
    changes[0]!.changes.map(({ field, after }) => [field, after]),
    [['grants.t2', null]],
  )
  const { actor, origin, address, subject, hashMatches } = changes[1]!
  assert.deepEqual(
    [actor, origin, address, subject, hashMatches],
    ['mai', 'command line', 'desk', 'partner acme', true],
  )
  const since = await audit(queries, { since: later + 1, limit: 100 })
  const until = await audit(queries, { until: later + 1, limit: 100 })
  const seqs = ({ changes }: typeof since) => changes.map(({ auditSeq }) => auditSeq)
  assert.deepEqual(
    [...seqs(since), ...seqs(until)],
    seqs(await audit(queries, { limit: 100 })),
    'every change is since then or before then',
  )
  assert.ok(seqs(since).length > 0 && seqs(until).length > 0)
  assert.deepEqual(
    since.changes.map(({ action }) => action),
    ['tenant caps', 'partner deny'],
  )
  assert.deepEqual(
    (await audit(queries, { tenantId: 't1', limit: 100 })).changes.map(({ action }) => action),
    ['tenant caps', 'tenant create'],
  )
  assert.deepEqual(await audit(queries, { since: later + 9999, limit: 100 }), { changes: [], older: 0 })
  await assert.rejects(audit(queries, { partnerId: 'globx', limit: 1 }), /did you mean "globex"/)
})

test('an audit row that was changed after it was written is marked', async (t) => {
  const { queries, raw } = await aQueriedLedger(t, caps)
  const remove =
    storeKind === 'postgres'
      ? 'ALTER TABLE audit DISABLE TRIGGER ALL'
      : 'DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted'
  await raw.run(remove)
  await raw.run("UPDATE audit SET actor = 'somebody else' WHERE subject = 'partner globex'")
  const { changes } = await audit(queries, { limit: 100 })
  assert.deepEqual(
    changes.filter(({ hashMatches }) => !hashMatches).map(({ subject }) => subject),
    ['partner globex'],
  )
})

test('a partner is shown with the caps in force in each tenant and with who set them', async (t) => {
  const { operator, queries } = await aQueriedLedger(t, caps)
  const mai = { ...operator, actor: 'mai', reason: 'ticket 7' }
  await setPartnerCaps(mai, 'acme', { perTx: 50, perPartnerDay: undefined }, undefined)
  await setPartnerCaps({ ...mai, reason: null }, 'acme', { perTx: 60, perPartnerDay: undefined }, 't2')
  await setTenantCaps(mai, 't2', 10)
  const { grants } = await partnerWithCaps(queries, 'acme')
  const shown = grants.map(({ tenantId, caps }) => [
    tenantId,
    ...Object.values(caps).map(({ limit, from, change }) => {
      return `${limit} ${from}, ${change!.action} by ${change!.actor}: ${change!.reason}`
    }),
  ])
  assert.deepEqual(shown, [
    [
      't1',
      '50 partner, partner caps by mai: ticket 7',
      '200 default, defaults seed by serve: null',
      '150 default, defaults seed by serve: null',
    ],
    [
      't2',
      '60 partner in tenant, partner caps by mai: null',
      '200 default, defaults seed by serve: null',
      '10 tenant, tenant caps by mai: ticket 7',
    ],
  ])
  await assert.rejects(partnerWithCaps(queries, 'acne'), /did you mean "acme"/)
})
