import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { routes } from '../../src/operator/api/routes.ts'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { eventually } from '../support/eventually.ts'
import { anApi, type TestApi } from '../support/operator-api.ts'
import { startService, type TestService } from '../support/service.ts'

async function started(
  t: TestContext,
  caps: Record<string, string> = {},
): Promise<TestService & { api: TestApi }> {
  const service = await startService(t, caps)
  return { ...service, api: await anApi(t, service) }
}

/** Follows nextCursor to the end. */
async function allPages(
  api: TestApi,
  path: string,
  list: string,
): Promise<{ pages: number; rows: unknown[] }> {
  const rows: unknown[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    const start: string = `${path}${path.includes('?') ? '&' : '?'}limit=2`
    const { status, body } = await api.as('admin', {
      path: cursor === null ? start : `${start}&cursor=${cursor}`,
    })
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body[list])
    cursor = body.nextCursor
    pages++
  } while (cursor !== null && pages < 100)
  return { pages, rows }
}

test('every list gives each row once, page by page, also if rows have the same time; a damaged cursor is refused', async (t) => {
  const { api, acme, lookNow } = await started(t)
  for (let number = 0; number < 5; number++) {
    await acme.award({ userEmail: 'ann@example.com', tenantId: number % 2 === 0 ? 't1' : 't2' })
    await acme.award({ amount: 1 })
  }
  await lookNow()
  const user = { method: 'POST', path: '/users', body: { tenantId: 't1', email: 'Ann@Example.com' } }
  const { ref } = (await api.as('support', user)).body
  const lists: [path: string, list: string, rows: number][] = [
    ['/partners', 'items', 2],
    ['/tenants', 'items', 2],
    ['/accounts', 'items', 2],
    ['/refusals', 'rows', 5],
    ['/refusals?since=today&until=today&partnerId=acme&code=AMOUNT_BELOW_MIN', 'rows', 5],
    [`/users/t1/${ref}`, 'awards', 3],
  ]
  for (const [path, list, count] of lists) {
    const { rows, pages } = await allPages(api, path, list)
    assert.equal(rows.length, count, path)
    assert.equal(new Set(rows.map((row) => JSON.stringify(row))).size, count, `${path}: each once`)
    assert.equal(pages, Math.max(1, Math.ceil(count / 2)), path)
  }
  const audit = await allPages(api, '/audit', 'changes')
  const numbers = audit.rows.map((row) => (row as { auditSeq: number }).auditSeq)
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, at) => numbers[0]! - at),
  )
  for (const path of ['/partners', '/audit', '/refusals', '/access-log', `/users/t1/${ref}`]) {
    const { body } = await api.as('admin', {
      path: `${path}?cursor=${Buffer.from('["x",1]').toString('base64url')}`,
    })
    assert.equal(body.code, 'INVALID_REQUEST', path)
  }
  // Made by hand: it must neither fail nor make the service read everything.
  const forged: [path: string, cursor: unknown[]][] = [
    ['/refusals', ['refusals', Date.now(), -2]],
    ['/refusals', ['refusals', Date.now(), Number.MAX_SAFE_INTEGER]],
    [`/users/t1/${ref}`, ['user', 'x', -50]],
    ['/access-log', ['access-log', -1]],
  ]
  for (const [path, cursor] of forged) {
    const sent = Buffer.from(JSON.stringify(cursor)).toString('base64url')
    const { body } = await api.as('admin', { path: `${path}?limit=1&cursor=${sent}` })
    assert.equal(body.code, 'INVALID_REQUEST', `${path} ${cursor}`)
  }
})

test('a refusal is explained with its checks, what would help, and what would happen now', async (t) => {
  const { api, acme, clock, lookNow } = await started(t, { CAP_PER_PARTNER_DAY: '10' })
  await acme.award({ amount: 8_000 })
  const refused = await acme.award({ orderId: 'big', amount: 5_000 })
  await acme.award({ orderId: 'big', amount: 5_000 })
  await lookNow()
  const path = `/refusals/${refused.body.requestId}`
  const token = await api.token(['awards.read'])
  const { body } = await api.byToken(token, { path })
  assert.deepEqual(
    [body.refusal.cap, body.refusal.limit, body.refusal.used, body.refusal.requested, body.neededCap],
    ['perPartnerDay', 10, 8, 5, 13],
  )
  const failed = body.checks.find(({ result }: { result: string }) => result === 'failed')
  assert.equal(failed.name, 'perPartnerDay')
  assert.equal(body.checks.at(-1).result, 'not reached')
  assert.equal(body.attempts.length, 2)
  assert.equal(body.now.outcome.code, 'DAILY_CAP_EXCEEDED')
  assert.equal(body.afterReset.outcome.kind, 'credit')
  clock.advance(86_400_000)
  const later = await api.byToken(token, { path })
  assert.deepEqual([later.body.now.outcome.kind, later.body.afterReset], ['credit', null])
  assert.equal((await api.byToken(token, { path: '/refusals/unknown' })).body.code, 'NOT_FOUND')
})

test('a refusal is explained that has the requestId of others: callers choose it, and may use it again', async (t) => {
  const { api, acme, globex, clock, lookNow } = await started(t)
  const same = { 'X-Request-Id': 'req-1' }
  const first = clock.now()
  await acme.award({ amount: 1 }, same)
  clock.advance(1000)
  await acme.award({ amount: 99_000_000 }, same)
  clock.advance(1000)
  await globex.award({ tenantId: 't2' }, same)
  await lookNow()
  const codeOf = async (query: string) => {
    const { refusal, attempts } = (await api.as('viewer', { path: `/refusals/req-1${query}` })).body
    assert.ok(attempts.every((attempt: typeof refusal) => attempt.partnerId === refusal.partnerId))
    return refusal.code
  }
  const at = new Date(first).toISOString()
  assert.equal(await codeOf(`?partnerId=acme&at=${at}`), 'AMOUNT_BELOW_MIN')
  assert.equal(await codeOf('?partnerId=acme'), 'PER_TX_CAP_EXCEEDED')
  assert.equal(await codeOf(''), 'TENANT_NOT_ALLOWED')
  const [path, body] = [`/refusals/req-1/now?partnerId=acme&at=${at}`, { email: 'ann@example.com' }]
  const asked = await api.as('support', { method: 'POST', path, body })
  assert.equal(asked.body.outcome.code, 'AMOUNT_BELOW_MIN')
})

test('refusals are narrowed by partner, tenant, code, kind of request and time, in counts and rows alike', async (t) => {
  const { api, acme, globex, clock, lookNow, operate } = await started(t)
  await operate((operator) => allowTenant(operator, 'acme', 'test-1', 'sandbox'))
  await acme.award({ amount: 1 })
  clock.advance(86_400_000)
  await eventually('the sandbox is allowed', async () => {
    return (await acme.award({ amount: 1, tenantId: 'test-1' })).body.code === 'AMOUNT_BELOW_MIN'
  })
  await acme.award({ amount: 1, tenantId: 't2' })
  await globex.award({ amount: 1 })
  await globex.award({ tenantId: 't2' })
  await globex.history('t2')
  await lookNow()
  const token = await api.token(['awards.read'])
  const listed = async (query: string) => {
    const { body } = await api.byToken(token, { path: `/refusals?${query}` })
    assert.equal(body.total, body.rows.length, query)
    return body.rows.map(({ partnerId, tenantId, code }: Record<string, string>) =>
      [partnerId, tenantId, code].join(' '),
    )
  }
  const own = 'code=AMOUNT_BELOW_MIN&partnerId=acme'
  assert.deepEqual(await listed(`${own}&tenantId=t2`), ['acme t2 AMOUNT_BELOW_MIN'])
  assert.deepEqual(await listed(`${own}&since=today&sandbox=false`), ['acme t2 AMOUNT_BELOW_MIN'])
  assert.ok((await listed(`${own}&since=today`)).includes('acme test-1 AMOUNT_BELOW_MIN'))
  assert.ok((await listed('tenantId=test-1&sandbox=false')).includes('acme test-1 AMOUNT_BELOW_MIN'))
  const notAllowed = 'globex t2 TENANT_NOT_ALLOWED'
  assert.deepEqual(await listed('partnerId=globex&tenantId=t2'), [notAllowed, notAllowed])
  assert.deepEqual(await listed('partnerId=globex&tenantId=t2&endpoint=award'), [notAllowed])
  const yesterday = ['acme t1 AMOUNT_BELOW_MIN']
  assert.deepEqual(await listed('since=yesterday&until=yesterday'), yesterday)
  assert.deepEqual(await listed('since=2026-11-15&until=2026-11-15T23:59:00%2B07:00'), yesterday)
  const backwards = await api.byToken(token, { path: '/refusals?since=today&until=2026-11-01' })
  assert.equal(backwards.body.code, 'REFUSED')
})

test('an address is looked up by POST, and its reference works in its own tenant and ledger only', async (t) => {
  const { api, acme } = await started(t)
  await acme.award({ orderId: 'o-1', userEmail: 'ann@example.com', note: 'thank you', amount: 5_000 })
  const lookup = (email: string) =>
    api.as('support', { method: 'POST', path: '/users', body: { tenantId: 't1', email } })
  const { ref } = (await lookup('ann@example.com')).body
  assert.ok(!Buffer.from(ref, 'base64url').includes('ann'))
  assert.equal((await lookup('ANN@example.com')).body.ref, ref, 'a user has one reference')
  const { body } = await api.as('support', { path: `/users/t1/${ref}` })
  assert.deepEqual([body.userEmail, body.total, body.awards[0].note], ['ann@example.com', 5, 'thank you'])
  assert.deepEqual(body.months, [{ month: '2026-11', points: 5 }])
  const damaged = `${ref.slice(0, -2)}${ref.endsWith('AA') ? 'BB' : 'AA'}`
  for (const path of [`/users/t2/${ref}`, `/users/t1/${damaged}`, '/users/t1/x'])
    assert.equal((await api.as('support', { path })).body.code, 'NOT_FOUND', path)
  assert.equal((await lookup('nobody')).body.code, 'REFUSED')
})

test('users near perUserDay are listed without addresses, and with them only for who may see them, which is recorded', async (t) => {
  const { api, acme, globex } = await started(t, { CAP_PER_USER_DAY: '10' })
  await acme.award({ userEmail: 'ann@example.com', amount: 4_000 })
  await globex.award({ userEmail: 'ann@example.com', amount: 5_000 })
  await acme.award({ userEmail: 'bob@example.com', amount: 2_000 })
  const near = async (role: 'viewer' | 'support', query: string) => {
    const { body } = await api.as(role, { path: `/usage?users=true${query}` })
    const [{ perUserDay, users }] = body.tenants
    assert.equal(perUserDay.limit, 10)
    return users.map(({ userEmail, userRef, points }: Record<string, unknown>) => [
      userEmail,
      userRef !== null,
      points,
    ])
  }
  const reads = async () => (await api.as('admin', { path: '/access-log?kind=read' })).body.items
  const nameless = [
    [null, false, 9],
    [null, false, 2],
  ]
  assert.deepEqual(await near('viewer', ''), nameless)
  assert.deepEqual(await near('support', '&addresses=false'), nameless)
  assert.deepEqual(await reads(), [])
  assert.deepEqual(await near('support', '&addresses=true'), [
    ['ann@example.com', true, 9],
    ['bob@example.com', true, 2],
  ])
  const [read, ...others] = await reads()
  assert.deepEqual([read.actor, read.action, others.length], ['operator:a-support', 'GET /usage', 0])
})

test('a report is the same as JSON, CSV and NDJSON; another format is refused', async (t) => {
  const { api, acme, globex, lookNow } = await started(t)
  await acme.award({ amount: 5_999 })
  await acme.award({ amount: 1 })
  await globex.award({ amount: 2_000 })
  await lookNow()
  const report = (query: string, accept?: string) =>
    api.as('viewer', { path: `/reports${query}`, ...(accept === undefined ? {} : { headers: { accept } }) })
  const { body } = await report('?day=2026-11-15')
  assert.deepEqual([body.total.awards, body.total.points, body.total.remainder], [2, 7, 999])
  const month = await report('?month=2026-11')
  assert.deepEqual([month.body.from, month.body.to], ['2026-11-01', '2026-11-30'])
  assert.deepEqual(month.body.rows, body.rows)
  const csv = await report('?day=2026-11-15', 'text/csv')
  assert.match(String(csv.headers['content-type']), /^text\/csv/)
  assert.match(String(csv.headers['content-disposition']), /attachment; filename="report-2026-11-15.csv"/)
  assert.deepEqual(csv.text.split('\n').slice(1, 3), [
    'acme,acme,t1,1,5,5999,999,1,0,0,0,0,0,0,0,0,1,0,0,0,0,0',
    'globex,globex,t1,1,2,2000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0',
  ])
  assert.equal((await report('?day=2026-11-15&format=csv')).text, csv.text)
  const ndjson = await report('?day=2026-11-15', 'application/x-ndjson')
  assert.deepEqual(
    ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    body.rows,
  )
  assert.equal((await report('', 'image/png')).body.code, 'NOT_ACCEPTABLE')
  for (const query of [
    '?day=2026-13-40',
    '?day=today&month=2026-11',
    '?by=color',
    '?from=today',
    '?unknown=1',
  ])
    assert.equal((await report(query)).body.code, 'INVALID_REQUEST', query)
})

test('the overview and the series count what happened today, without sandbox tenants', async (t) => {
  const { api, acme, clock, lookNow } = await started(t, { CAP_PER_PARTNER_DAY: '10' })
  clock.advance(-86_400_000)
  await acme.award({ amount: 3_000 })
  await acme.award({ amount: 9_000 })
  await acme.award({ amount: 1 })
  clock.advance(86_400_000 + 60_000)
  const first = await acme.award({ amount: 8_000, orderId: 'one' })
  await acme.award({ amount: 8_000, orderId: 'one', userEmail: undefined })
  await acme.award({ amount: 9_000 })
  await lookNow()
  api.readings.awardMs = { upTo: [{ bound: 5, count: 3 }], count: 3 }
  api.readings.startedAt = clock.now() - 120_000
  api.readings.minutes = [60_000, 0].map((ago) => ({ at: clock.now() - ago, ...api.readings.awardMs }))
  api.readings.warnings = ['a warning']
  assert.equal(first.status, 202)
  const { body } = await api.as('viewer', { path: '/overview' })
  assert.deepEqual([body.today.awards, body.today.points, body.today.refused], [1, 8, 2])
  assert.deepEqual([body.yesterday.awards, body.yesterday.points], [1, 3])
  assert.deepEqual(body.accounts[0], {
    partnerId: 'acme',
    tenantId: 't1',
    sandbox: false,
    awards: 1,
    points: 8,
    perPartnerDay: { limit: 10, from: 'default' },
  })
  assert.deepEqual(
    body.refusalsByCode.map(({ code, refusals, points, yesterday }: Record<string, unknown>) =>
      [code, refusals, points, yesterday].join(' '),
    ),
    ['DAILY_CAP_EXCEEDED 1 9 1', 'INVALID_REQUEST 1 0 0', 'AMOUNT_BELOW_MIN 0 0 1'],
  )
  assert.equal(body.latencyHour.since, body.latency.since)
  assert.deepEqual(body.latencyHour.minutes, [{ at: body.latency.since, requests: 3, p50Ms: 5, p99Ms: 5 }])
  assert.deepEqual([body.latency.requests, body.latency.p50Ms, body.latency.p99Ms], [3, 5, 5])
  assert.deepEqual(body.ledger.warnings, ['a warning'])
  const series = await api.as('viewer', { path: '/series?day=today' })
  const [point] = series.body.points
  assert.deepEqual([point.awards, point.points, point.refused, point.refusedPoints], [1, 8, 2, 9])
  const days = await api.as('viewer', { path: '/series?span=day&from=2026-11-14&to=2026-11-16' })
  assert.deepEqual(
    days.body.points.map(({ points }: { points: number }) => points),
    [3, 8],
  )
  assert.equal((await api.as('viewer', { path: '/series?from=2020-01-01' })).body.code, 'REFUSED')
})

test('a path, a method, a media type or a body that the API does not take gets a problem document', async (t) => {
  const { api } = await started(t)
  const wrong: [Parameters<TestApi['send']>[0], number, string][] = [
    [{ path: '/nowhere' }, 404, 'NOT_FOUND'],
    [{ path: '/find' }, 405, 'METHOD_NOT_ALLOWED'],
    [{ method: 'DELETE', path: '/partners/acme' }, 405, 'METHOD_NOT_ALLOWED'],
    [{ method: 'POST', path: '/find', body: '{"text":"a"' }, 400, 'INVALID_REQUEST'],
    [
      { method: 'POST', path: '/find', body: 'text=a', headers: { 'content-type': 'text/plain' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [{ method: 'POST', path: '/find', body: { text: '' } }, 400, 'INVALID_REQUEST'],
    [{ method: 'POST', path: '/verification', body: {} }, 400, 'INVALID_REQUEST'],
    [{ path: '/partners?limit=0' }, 400, 'INVALID_REQUEST'],
    [{ path: '/partners?limit=5&limit=6' }, 400, 'INVALID_REQUEST'],
    [{ path: '/partners/%00' }, 400, 'INVALID_REQUEST'],
    [{ method: 'POST', path: '/find', body: { text: 'a\u0000' } }, 400, 'INVALID_REQUEST'],
    [{ path: '/partners/%E0%A4%A' }, 400, 'INVALID_REQUEST'],
  ]
  for (const [request, status, code] of wrong) {
    const answer = await api.as('admin', request)
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(request))
  }
  assert.deepEqual(api.failures, [])

  const { body } = await api.as('viewer', { path: '/openapi.json' })
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path as object))
  assert.equal(operations.length, routes.length, 'the OpenAPI document has every route')
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, routes.length)
})
