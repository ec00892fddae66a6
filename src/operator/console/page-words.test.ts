import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessed } from './site/words/accessed.ts'
import { actorName, type Said, shownChanges } from './site/words/audited.ts'
import { findPlace, onlyResult, refusalLink, searchedText } from './site/words/find-links.ts'
import { nearUsers } from './site/words/near-users.ts'
import { neighborOf, periodOf } from './site/words/report-period.ts'
import { waysIn } from './site/words/ways-in.ts'
import { todayByPartner } from './site/words/today-by-partner.ts'

const now = Date.parse('2026-11-16T14:32:00+07:00')

test('an address never stands in a URL, neither searched for nor as an order', () => {
  assert.deepEqual(findPlace(' lan@example.com '), { to: '/find', typed: 'lan@example.com' })
  assert.deepEqual(findPlace('A/1 ?&#'), { to: '/find?q=A%2F1%20%3F%26%23', typed: null })
  const place = { requestId: 'r:1', partnerId: 'acme', at: '2026-11-16T07:32:00.000Z' }
  const link = '/refusals/r%3A1?partner=acme&at=2026-11-16T07%3A32%3A00.000Z'
  assert.equal(refusalLink(place, 'lan@example.com'), link)
  assert.equal(refusalLink(place, 'A 1'), `${link}&order=A+1`)
})

test('what was searched for is one readable sentence', () => {
  assert.equal(
    searchedText(['order', 'request']),
    'Searched as an order ID (exactly as sent) and as a request ID.',
  )
  assert.equal(searchedText(['email']), 'Searched as an address.')
})

test('a search with exactly one result opens it; the awards of one user in one tenant are one result', () => {
  const award = { epTransactionId: 'e1', tenantId: 't1', userRef: 'u1', foundAs: ['order'] }
  const refusal = { requestId: 'r1', partnerId: 'acme', at: '2026-11-16', foundAs: ['order'] }
  const found = (credited: (typeof award)[], refused: (typeof refusal)[] = []) =>
    onlyResult({ text: 'x', credited, refused })
  const ofUser = { ...award, foundAs: ['email'] }
  assert.equal(found([]), null)
  assert.equal(found([award]), '/awards/e1')
  assert.equal(found([award], [refusal]), null)
  assert.equal(found([], [refusal]), '/refusals/r1?partner=acme&at=2026-11-16&order=x')
  assert.equal(found([], [{ ...refusal, foundAs: ['request'] }]), '/refusals/r1?partner=acme&at=2026-11-16')
  assert.equal(found([ofUser, { ...ofUser, epTransactionId: 'e2' }]), '/users/t1?ref=u1')
  assert.equal(found([ofUser, { ...ofUser, tenantId: 't2' }]), null)
  assert.equal(onlyResult({ text: 'x', credited: [{ ...ofUser, userRef: null }], refused: [] }), '/awards/e1')
})

test('a report is about yesterday unless a day is named, and a day that is not over says so', () => {
  const period = (query: string) => {
    const { kind, title, short, closedUntil, to, from } = periodOf(new URLSearchParams(query), now)
    return { kind, title, short, days: to - from + 1, isClosed: closedUntil === to }
  }
  assert.deepEqual(period(''), {
    kind: 'day',
    title: 'Sunday 15 November 2026',
    short: '15 Nov 2026',
    days: 1,
    isClosed: true,
  })
  assert.equal(period('day=2026-11-16').isClosed, false)
  assert.equal(period('day=2026-11-17').short, '15 Nov 2026')
  assert.equal(period('day=nonsense').short, '15 Nov 2026')
  assert.deepEqual(period('period=month'), {
    kind: 'month',
    title: 'November 2026, so far',
    short: 'November 2026',
    days: 16,
    isClosed: false,
  })
  assert.deepEqual(period('period=month&day=2024-02-10'), {
    kind: 'month',
    title: 'February 2024',
    short: 'February 2024',
    days: 29,
    isClosed: true,
  })
})

test('the neighbors of a period are the days and months beside it, up to today', () => {
  const at = (query: string, step: -1 | 1) => neighborOf(periodOf(new URLSearchParams(query), now), step, now)
  assert.equal(at('day=2026-11-01', -1), '2026-10-31')
  assert.equal(at('day=2026-11-15', 1), '2026-11-16')
  assert.equal(at('day=2026-11-16', 1), null)
  assert.equal(at('period=month&day=2026-01-31', -1), '2025-12-31')
  assert.equal(at('period=month&day=2026-01-31', 1), '2026-02-01')
  assert.equal(at('period=month', 1), null)
})

test('the use of today is divided by partner, and what is not loaded is said', () => {
  const award = (awardedAt: string, partnerId: string, points: number) => ({ awardedAt, partnerId, points })
  const awards = [
    award('2026-11-16T05:00:00Z', 'acme', 12),
    award('2026-11-15T17:00:00Z', 'globex', 148),
    award('2026-11-15T16:59:59Z', 'globex', 1_000),
  ]
  assert.deepEqual(todayByPartner(awards, { day: '2026-11-16', points: 165 }), {
    partners: [
      { partnerId: 'globex', awards: 1, points: 148 },
      { partnerId: 'acme', awards: 1, points: 12 },
    ],
    missing: 5,
  })
})

test('a change is shown field by field, a new setting by its values, nothing as "null", and no time as text', () => {
  const said = (parts: Said | null) =>
    parts?.map((part) => (typeof part === 'string' ? part : `<${part.at}>`)).join('')
  const changes = [
    { field: 'perPartnerDay', before: null, after: 1_200_000 },
    { field: 'status', before: 'active', after: 'suspended' },
    { field: 'grants.t1', before: null, after: { tenantId: 't1', perTx: 500, perPartnerDay: null } },
    { field: 'keys.k1.expiresAt', before: null, after: 1_794_710_669_013 },
    { field: 'createdAt', before: null, after: 1 },
  ]
  assert.deepEqual(
    shownChanges(changes.slice(0, 4), false).map(
      ({ field, before, after }) => `${field}: ${said(before)} → ${said(after)}`,
    ),
    [
      'perPartnerDay: not set → 1,200,000',
      'status: active → suspended',
      'grants.t1: none → perTx 500',
      'keys.k1.expiresAt: none → <1794710669013>',
    ],
  )
  assert.deepEqual(
    shownChanges(changes, true).map(({ before }) => before),
    [null, null, null, null],
  )
  const key = {
    field: 'keys.k2',
    before: null,
    after: { keyId: 'k2', createdAt: 1, expiresAt: 1_794_710_669_013 },
  }
  assert.equal(said(shownChanges([key], false)[0]!.after), 'keyId k2, expiresAt <1794710669013>')
  const password = { field: 'password', before: 'set', after: 'changed' }
  assert.deepEqual(shownChanges([password], false), [{ field: 'password', before: null, after: ['changed'] }])
})

test('a row of the access log is said in words, and leads to what was read', () => {
  const about = (kind: string, subject: string | null) => accessed({ kind, subject, action: 'GET /usage' })
  assert.deepEqual(about('denied', 'NOT_PERMITTED'), { text: 'The role does not allow it', href: null })
  assert.equal(about('read', 'find as order, email').text, 'Searched as an order ID and an address')
  assert.deepEqual(about('read', 'award 019a'), { text: 'award 019a', href: '/awards/019a' })
  assert.deepEqual(about('read', 'user r-1 in t 1'), { text: 'A user in t 1', href: '/users/t%201?ref=r-1' })
  for (const nothing of [null, 'GET /usage']) assert.equal(about('read', nothing).text, '–')
})

test('how an operator signs in agrees with what the sign-in page offers', () => {
  const ways = (provider: string | null) =>
    [
      { hasPassword: true, hasOidc: false },
      { hasPassword: true, hasOidc: true },
      { hasPassword: false, hasOidc: true },
      { hasPassword: false, hasOidc: false },
    ].map((account) => waysIn(account, provider))
  const nothing = 'Nothing: reset it to give it a password'
  assert.deepEqual(ways(null), ['Password', 'Password', nothing, nothing])
  assert.deepEqual(ways('Example ID'), [
    'Password',
    'Password, Example ID',
    'Example ID',
    'Example ID, not linked yet',
  ])
})

test('an actor is named as people call it', () => {
  assert.deepEqual(actorName('operator:mai'), { name: 'mai', kind: null })
  assert.deepEqual(actorName('cli:root'), { name: 'root', kind: 'command line' })
  assert.deepEqual(actorName('token:a:b'), { name: 'a:b', kind: 'API token' })
  assert.deepEqual(actorName('serve'), { name: 'serve', kind: null })
})

test('users of all live tenants are ordered by their use of the cap, and where the list ends there may be more', () => {
  const user = (points: number) => ({ userEmail: null, userRef: null, points })
  const tenant = (tenantId: string, limit: number, points: number[], sandbox = false) => ({
    tenantId,
    sandbox,
    perUserDay: { limit },
    users: points.map(user),
  })
  const { users, near, isAtLeast } = nearUsers([
    tenant('t1', 100, [80, 79]),
    tenant('t2', 10, [9]),
    tenant('closed', 0, [1]),
    tenant('test', 1, [1], true),
  ])
  assert.deepEqual(
    users.map(({ tenantId, points }) => `${tenantId} ${points}`),
    ['closed 1', 't2 9', 't1 80', 't1 79'],
  )
  assert.deepEqual([near, isAtLeast], [3, false])
  assert.equal(nearUsers([tenant('t1', 10, Array(20).fill(10))]).isAtLeast, true)
})
