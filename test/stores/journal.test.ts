import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openJournalKey, orderFingerprint } from '../../src/journal/journal-key.ts'
import type { CountField, Span } from '../../src/journal/journal-reader.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { anAwardBody } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { storeKind } from '../support/fresh-database.ts'
import { privateFields } from '../support/problem-assertions.ts'
import { openRaw } from '../support/raw-database.ts'
import { type Lifetime, startService, type TestService } from '../support/service.ts'
import { always, journaled, readJournal } from '../support/service-journal.ts'
import { aNoon } from '../support/test-clock.ts'

const dayStart = Date.parse('2026-11-14T17:00:00.000Z')
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Writes its journal soon. */
function aService(t: Lifetime, environment: Record<string, string> = {}, nodes = 1): Promise<TestService> {
  return startService(t, environment, { nodes, journalEveryMs: 20 })
}

async function countsOf(service: TestService, span: Span, by: CountField[]) {
  return readJournal(service, (journal) => journal.counts({ span, ...always, by }))
}

test('responses are counted by partner, tenant, code and minute, with the EP credited and refused', async (t) => {
  const service = await aService(t)
  const { acme, globex, clock } = service
  await service.operate((operator) =>
    setPartnerCaps(operator, 'globex', { perTx: undefined, perPartnerDay: 6 }, undefined),
  )
  const order = anAwardBody({ amount: 5_999 })
  equal((await acme.award(order)).status, 202)
  clock.advance(5_000)
  equal((await acme.award(order)).body.code, 'DUPLICATE')
  equal((await acme.award({ amount: 7_000 })).status, 202)
  equal((await acme.award({ ...order, amount: 1_000 })).status, 409)
  equal((await globex.award({ amount: 4_000 })).status, 202)
  const overCap = await globex.award({ orderId: 'over-the-cap', amount: 3_500 })
  equal(overCap.body.cap, 'perPartnerDay')
  equal((await acme.history('t1')).status, 200)
  await journaled(service, 7)

  const minute = { start: aNoon, tenantId: 't1' }
  const ofAcme = { ...minute, partnerId: 'acme' }
  const ofGlobex = { ...minute, partnerId: 'globex' }
  const expected = [
    { ...ofAcme, endpoint: 'award', code: 'CREDITED', detail: '', responses: 2, points: 12 },
    { ...ofAcme, endpoint: 'award', code: 'DUPLICATE', detail: 'within 10 s', responses: 1, points: 5 },
    { ...ofAcme, endpoint: 'award', code: 'ORDER_ID_CONFLICT', detail: '', responses: 1, points: 1 },
    { ...ofAcme, endpoint: 'history', code: 'PAGE', detail: '', responses: 1, points: 0 },
    { ...ofGlobex, endpoint: 'award', code: 'CREDITED', detail: '', responses: 1, points: 4 },
    {
      ...ofGlobex,
      endpoint: 'award',
      code: 'DAILY_CAP_EXCEEDED',
      detail: 'perPartnerDay',
      responses: 1,
      points: 3,
    },
  ]
  const all: CountField[] = ['start', 'partnerId', 'tenantId', 'endpoint', 'code', 'detail']
  const starts: [Span, number][] = [
    ['minute', aNoon],
    ['hour', aNoon],
    ['day', dayStart],
  ]
  for (const [span, start] of starts) {
    deepEqual(
      await countsOf(service, span, all),
      expected.map((count) => ({ ...count, start })),
    )
  }

  const [refusal] = await readJournal(service, (journal) =>
    journal.refusals({ from: 0, limit: 10, partnerId: 'globex' }),
  )
  const { orderFingerprint: _, keyId, ...others } = refusal!
  match(keyId!, /^key_/)
  deepEqual(others, {
    at: clock.now(),
    partnerId: 'globex',
    tenantId: 't1',
    endpoint: 'award',
    code: 'DAILY_CAP_EXCEEDED',
    cap: 'perPartnerDay',
    limit: 6,
    requested: 3,
    used: 4,
    requestId: overCap.headers.get('x-request-id'),
  })
})

test('counts and refusals leave out the tenants that are named, however many they are', async (t) => {
  const service = await aService(t)
  const { acme } = service
  for (const tenantId of ['t1', 't2']) equal((await acme.award({ tenantId, amount: 1 })).status, 422)
  await journaled(service, 2)
  // More than a statement may have parameters.
  const withoutTenants = ['t2', ...Array.from({ length: 70_000 }, (_, index) => `sandbox-${index}`)]
  const counts = await readJournal(service, (journal) =>
    journal.counts({ span: 'day', ...always, by: ['tenantId'], withoutTenants }),
  )
  deepEqual(
    counts.map(({ tenantId, responses }) => [tenantId, responses]),
    [['t1', 1]],
  )
  const refusals = await readJournal(service, (journal) =>
    journal.refusals({ ...always, withoutTenants, limit: 10 }),
  )
  deepEqual(
    refusals.map(({ tenantId }) => tenantId),
    ['t1'],
  )
})

test('a known order is found by its fingerprint; neither the order nor a person is stored', async (t) => {
  const service = await aService(t)
  const body = anAwardBody({ ...privateFields, tenantId: 't2', orderId: 'order-that-nobody-may-read' })
  equal((await service.globex.award(body)).status, 403)
  equal((await service.acme.award({ ...body, amount: 1 })).status, 422)
  equal((await service.acme.award(body)).status, 202)
  equal((await service.acme.award(body)).body.code, 'DUPLICATE')
  await journaled(service, 4)
  const found = await readJournal(service, async (journal) => {
    const key = openJournalKey(service.config.masterKey!, (await journal.sealedKey())!)
    const order = { orderFingerprint: orderFingerprint(key, 'order-that-nobody-may-read') }
    const { records } = await journal.replays({ partnerId: 'acme', ...order })
    equal(records[0]?.replays, 1)
    return journal.refusals({ from: 0, limit: 10, ...order })
  })
  deepEqual(
    new Set(found.map(({ partnerId, code }) => `${partnerId} ${code}`)),
    new Set(['acme AMOUNT_BELOW_MIN', 'globex TENANT_NOT_ALLOWED']),
  )
  const stored = await everythingStored(service)
  match(stored, /TENANT_NOT_ALLOWED/)
  const secrets = ['order-that-nobody-may-read', ...Object.values(privateFields).map(String)]
  for (const secret of secrets) ok(!stored.includes(secret), `it has ${secret}`)
})

/** The bytes of the journal, whatever its tables are. */
async function everythingStored({ config: { database } }: TestService): Promise<string> {
  if (database.kind === 'sqlite') {
    const files = ['-operator', '-operator-wal'].map((companion) => `${database.path}${companion}`)
    return files.map((file) => readFileSync(file, 'latin1')).join('\n')
  }
  const raw = await openRaw(database)
  try {
    const tables = [
      'journal_counts',
      'journal_refusals',
      'journal_replays',
      'journal_key_uses',
      'journal_nodes',
    ]
    const rows: unknown[] = []
    for (const table of tables) rows.push(await raw.rows(`SELECT * FROM ${table}`))
    return JSON.stringify(rows)
  } finally {
    await raw.close()
  }
}

test('whatever strangers send, they choose no name in the journal', async (t) => {
  const service = await aService(t)
  const { acme, globex } = service
  await acme.award({ tenantId: 'made-up' })
  await acme.award({ tenantId: '(unknown)' })
  await globex.award({ tenantId: 't2' })
  await acme.award({}, { 'X-Api-Key': 'pck_made-up' })
  await acme.award({}, { 'X-Signature': '0'.repeat(64) })
  await acme.award({}, { 'X-Timestamp': '1' })
  await acme.awardBytes('{"made-up":1}')
  await acme.history('made-up')
  await journaled(service, 8)
  const by: CountField[] = ['partnerId', 'tenantId', 'endpoint', 'code']
  const counts = await countsOf(service, 'day', by)
  deepEqual(
    counts.map(({ partnerId, tenantId, endpoint, code, responses }) => [
      partnerId,
      tenantId,
      endpoint,
      code,
      responses,
    ]),
    [
      ['(unknown)', '(unknown)', 'award', 'INVALID_SIGNATURE', 1],
      ['acme', '(unknown)', 'award', 'INVALID_REQUEST', 2],
      ['acme', '(unknown)', 'award', 'INVALID_SIGNATURE', 1],
      ['acme', '(unknown)', 'award', 'TENANT_NOT_ALLOWED', 1],
      ['acme', '(unknown)', 'award', 'TIMESTAMP_OUT_OF_RANGE', 1],
      ['acme', '(unknown)', 'history', 'TENANT_NOT_ALLOWED', 1],
      ['globex', 't2', 'award', 'TENANT_NOT_ALLOWED', 1],
    ],
  )
})

test('several nodes write side by side, and the journal has what all of them saw', async (t) => {
  const nodes = storeKind === 'postgres' ? 3 : 1
  const service = await aService(t, {}, nodes)
  const orders = 30
  const answers = await Promise.all(
    Array.from({ length: orders }, () => service.acme.award({ amount: 2_000 })),
  )
  await journaled(service, orders)
  // On a slow machine, some may be 503.
  const codes = answers.map(({ status, body }) => (status === 202 ? 'CREDITED' : body.code))
  const expected = [...Map.groupBy(codes, (code) => code)]
    .map(([code, { length }]) => ({ partnerId: 'acme', code, responses: length, points: 2 * length }))
    .sort((a, b) => b.responses - a.responses)
  equal(expected[0]?.code, 'CREDITED')
  deepEqual(await countsOf(service, 'hour', ['partnerId', 'code']), expected)
  const raw = await openRawJournal(service)
  const [{ nodes: wrote }] = (await raw.rows(
    'SELECT CAST(count(DISTINCT node) AS integer) AS nodes FROM journal_counts',
  )) as [{ nodes: number }]
  equal(wrote, nodes)
  await raw.close()
})

function openRawJournal({ config: { database } }: TestService) {
  return openRaw(database.kind === 'sqlite' ? { ...database, path: `${database.path}-operator` } : database)
}

test('an award whose client is gone before the response is counted, too', async (t) => {
  const service = await aService(t)
  const { hostname, port } = new URL(service.url)
  const { connect } = await import('node:net')
  const body = JSON.stringify(anAwardBody())
  const headers = { ...service.acme.headers(body), 'Content-Type': 'application/json' }
  const lines = Object.entries({ Host: 'x', ...headers, 'Content-Length': body.length })
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const request = `POST /v1/ep/webhook HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  socket.write(request, () => socket.resetAndDestroy())
  await eventually('it is in the ledger', async () => (await service.dump()).includes('acme'))
  const [entry] = (await service.acme.history('t1')).body.items
  equal(entry.points, 5)
  await journaled(service, 2)
})

test('the last use of a key and its clock difference are kept', async (t) => {
  const service = await aService(t)
  const { acme, clock } = service
  const body = JSON.stringify(anAwardBody())
  const late = acme.headers(body, String(clock.now() - 61_000))
  equal((await acme.awardBytes(body, late)).status, 202)
  await journaled(service, 1)
  const [use] = await readJournal(service, (journal) => journal.keyUses(clock.now(), 'acme'))
  deepEqual([use?.partnerId, use?.at, use?.clockDifferenceMs], ['acme', aNoon, -61_000])
  deepEqual(await readJournal(service, (journal) => journal.keyUses(clock.now(), 'globex')), [])

  clock.advance(1_000)
  equal((await acme.history('t1')).status, 200)
  await journaled(service, 2)
  const [later] = await readJournal(service, (journal) => journal.keyUses(clock.now()))
  deepEqual([later?.at, later?.clockDifferenceMs], [aNoon + 1_000, 0])
})

test('minutes are kept for 7 days, hours for 90, refusals for REFUSAL_DAYS, days forever', async (t) => {
  const service = await aService(t, { REFUSAL_DAYS: '2' })
  const { acme, clock } = service
  const start = clock.now()
  await acme.award({ amount: 1 })
  await journaled(service, 1)
  const rows = async () => ({
    minute: (await countsOf(service, 'minute', ['start'])).length,
    hour: (await countsOf(service, 'hour', ['start'])).length,
    day: (await countsOf(service, 'day', ['start'])).length,
    refusals: (await readJournal(service, (journal) => journal.refusals({ from: 0, limit: 9 }))).length,
  })
  deepEqual(await rows(), { minute: 1, hour: 1, day: 1, refusals: 1 })

  let responses = 1
  async function after(days: number, expected: Awaited<ReturnType<typeof rows>>): Promise<void> {
    clock.advance(start + days * dayMs - clock.now())
    // One row of its own in each, except for refusals.
    await acme.award()
    await journaled(service, ++responses)
    await eventually(
      `after ${days} days`,
      async () => JSON.stringify(await rows()) === JSON.stringify(expected),
    )
  }
  await after(1.2, { minute: 2, hour: 2, day: 2, refusals: 1 })
  await after(2.3, { minute: 3, hour: 3, day: 3, refusals: 0 })
  await after(7.1, { minute: 3, hour: 4, day: 4, refusals: 0 })
  await after(90.1, { minute: 1, hour: 4, day: 5, refusals: 0 })
  await after(400, { minute: 1, hour: 1, day: 6, refusals: 0 })
})

test('days of processes that ended long ago are added up to one row', async (t) => {
  const service = await aService(t)
  await service.acme.award({ amount: 2_000 })
  await journaled(service, 1)
  const raw = await openRawJournal(service)
  const copies = [1, 2].map(
    (number) => `INSERT INTO journal_counts
      SELECT span, start, partner_id, tenant_id, endpoint, code, detail, 'ended-${number}', responses, points
      FROM journal_counts WHERE span = 'day' AND node NOT LIKE 'ended-%'`,
  )
  for (const sql of copies) await raw.run(sql)
  service.clock.advance(3 * dayMs)
  await service.acme.award({ amount: 2_000 })
  const rowsOfDay = () =>
    raw.rows(`SELECT node, responses, points FROM journal_counts WHERE span = 'day' AND start = ${dayStart}`)
  await eventually('one row', async () => (await rowsOfDay()).length === 1)
  const [row] = await rowsOfDay()
  deepEqual([row?.node, Number(row?.responses), Number(row?.points)], ['', 3, 6])
  await raw.close()
})

test('with REFUSAL_DAYS=0 single refusals are not kept, and those that were are deleted', async (t) => {
  const service = await aService(t, { REFUSAL_DAYS: '0' })
  await service.acme.award({ amount: 1 })
  await journaled(service, 1)
  deepEqual(await readJournal(service, (journal) => journal.refusals({ from: 0, limit: 9 })), [])
  deepEqual(await countsOf(service, 'day', ['code']), [{ code: 'AMOUNT_BELOW_MIN', responses: 1, points: 0 }])
})

test('the ledger is sound, and the same, whatever the journal has', async (t) => {
  const service = await aService(t)
  await service.acme.award()
  await service.acme.award({ amount: 1 })
  await journaled(service, 2)
  const before = await service.dump()
  const raw = await openRawJournal(service)
  await raw.run('DELETE FROM journal_counts')
  await raw.run('DELETE FROM journal_refusals')
  await raw.close()
  deepEqual((await service.verify()).sound, true)
  equal(await service.dump(), before)
})
