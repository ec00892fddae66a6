import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeCursor } from '../../src/rules/cursor.ts'
import { decodeQuery, readHistoryQuery } from '../../src/rules/history-query.ts'
import { published, publishedSchema } from '../support/published-contract.ts'

const { parameters } = published.paths['/v1/ep/webhook/awards'].get
const checks = new Map<string, (value: unknown) => boolean>(
  parameters.flatMap(({ name, in: place }: { name: string; in: string }, index: number) =>
    place === 'query'
      ? [[name, publishedSchema(`/paths/~1v1~1ep~1webhook~1awards/get/parameters/${index}/schema`)]]
      : [],
  ),
)
const required = new Set<string>(
  parameters.flatMap(({ name, required }: { name: string; required: boolean }) => (required ? [name] : [])),
)

/** As OpenAPI reads a query: what looks like a number is one. */
function schemaAccepts(name: string, text: string | undefined): boolean {
  if (text === undefined) return !required.has(name)
  return checks.get(name)!(name === 'limit' && String(Number(text)) === text ? Number(text) : text)
}

const tenants = fc.oneof(
  fc.constant('t1'),
  fc.constantFrom('t1', 't.1_-', 'T', '', 't 1', '_t', 't'.repeat(64), 't'.repeat(65), 'é', '%', 't1\n'),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const limits = fc.oneof(
  fc.integer({ min: 1, max: 100 }).map(String),
  fc.integer({ min: -2, max: 103 }).map(String),
  fc.constantFrom(
    '',
    '05',
    '+5',
    '5.0',
    '1e1',
    ' 5',
    '5 ',
    '99',
    '100',
    '101',
    '1000',
    '0x5',
    '５',
    'Infinity',
    'NaN',
  ),
  fc.string({ maxLength: 3 }),
)

test('the published parameters and the service accept the same queries', () => {
  const counts = { accepted: 0, refused: 0 }
  const queries = fc.record({
    tenantId: fc.option(tenants, { nil: undefined, freq: 9 }),
    limit: fc.option(limits, { nil: undefined }),
  })
  fc.assert(
    fc.property(queries, (query) => {
      const given = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][]
      const text = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
      const checked = readHistoryQuery(decodeQuery(text), 'acme')
      const refused = Object.entries(query).flatMap(([name, value]) =>
        schemaAccepts(name, value) ? [] : [name],
      )
      counts[refused.length === 0 ? 'accepted' : 'refused']++
      deepEqual(checked.ok ? [] : checked.errors.map(({ parameter }) => parameter), refused)
    }),
    { numRuns: 2000 },
  )
  ok(Math.min(counts.accepted, counts.refused) > 200, `too one-sided: ${JSON.stringify(counts)}`)
})

test('the published default of limit is the one that counts', () => {
  const checked = readHistoryQuery(decodeQuery('tenantId=t1'), 'acme')
  const { default: limitDefault } = parameters.find(({ name }: { name: string }) => name === 'limit').schema
  equal(checked.ok && checked.query.limit, limitDefault)
})

/** For each rule that a parameter's schema cannot express: queries that break it. HTTP tests cover the body. */
const beyond: Record<string, string[]> = {
  'each of the three parameters is given at most once': ['tenantId=t1&limit=5&limit=5'],
  'cursor is a nextCursor of this partner and tenant, unchanged': [
    'tenantId=t1&cursor=abc',
    `tenantId=t1&cursor=${writeCursor({ partnerId: 'acme', tenantId: 't2' }, 1)}`,
  ],
  'the query is percent-encoded UTF-8 and has at most 32 parameters': [
    'tenantId=t1&other=%ff',
    `tenantId=t1${'&other=1'.repeat(32)}`,
  ],
  'there is no body': [],
}

test('what the schemas cannot say is published in words, and each of these rules is kept', () => {
  deepEqual(Object.keys(beyond), published.paths['/v1/ep/webhook/awards'].get['x-rules-beyond-schema'])
  for (const [rule, refused] of Object.entries(beyond)) {
    for (const query of refused) ok(!readHistoryQuery(decodeQuery(query), 'acme').ok, `${rule}: ${query}`)
  }
})
