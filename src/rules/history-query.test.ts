import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeCursor } from './cursor.ts'
import { decodeQuery, readHistoryQuery, signedTenantId } from './history-query.ts'

const cursor = writeCursor({ partnerId: 'acme', tenantId: 't1' }, 7)

const accepted: [
  raw: string,
  query: { tenantId: string; limit: number; beforeSeq: number | null },
  why: string,
][] = [
  ['tenantId=t1', { tenantId: 't1', limit: 20, beforeSeq: null }, 'limit is 20 by default'],
  ['tenantId=t1&limit=1', { tenantId: 't1', limit: 1, beforeSeq: null }, 'the smallest limit'],
  ['tenantId=t1&limit=99', { tenantId: 't1', limit: 99, beforeSeq: null }, 'two digits'],
  ['tenantId=t1&limit=100', { tenantId: 't1', limit: 100, beforeSeq: null }, 'the largest limit'],
  [`tenantId=t1&cursor=${cursor}`, { tenantId: 't1', limit: 20, beforeSeq: 7 }, 'a cursor'],
  [`cursor=${cursor}&limit=5&tenantId=t1`, { tenantId: 't1', limit: 5, beforeSeq: 7 }, 'in any order'],
  ['%74enantId=%741', { tenantId: 't1', limit: 20, beforeSeq: null }, 'percent-encoded'],
  ['&tenantId=t1&&', { tenantId: 't1', limit: 20, beforeSeq: null }, 'stray ampersands'],
  [
    'tenantId=t1&page=2&page=3',
    { tenantId: 't1', limit: 20, beforeSeq: null },
    'unknown parameters are ignored',
  ],
]
for (const [raw, query, why] of accepted) {
  test(`?${raw} is accepted: ${why}`, () => {
    assert.deepEqual(readHistoryQuery(decodeQuery(raw), 'acme'), { ok: true, query })
  })
}

const limit = 'must be an integer from 1 to 100, in plain digits'
for (const text of [
  '0',
  '-1',
  '101',
  '1000',
  '1.5',
  '1e2',
  '010',
  ' 20',
  '20 ',
  '+20',
  '20abc',
  '0x10',
  '２０',
  '20\n',
  '',
]) {
  test(`limit=${JSON.stringify(text)} is refused and not clamped`, () => {
    assert.deepEqual(errorsOf(`tenantId=t1&limit=${encodeURIComponent(text)}`), [
      { parameter: 'limit', detail: limit },
    ])
  })
}

const once = 'must be given once'
const refused: [raw: string, parameter: string, detail: RegExp, why: string][] = [
  ['', 'tenantId', /is required/, 'no tenantId'],
  ['TenantId=t1', 'tenantId', /is required/, 'tenantId in another case'],
  ['tenantId=', 'tenantId', /1 to 64/, 'an empty tenantId'],
  ['tenantId', 'tenantId', /1 to 64/, 'a tenantId without a value'],
  ['tenantId=a%20b', 'tenantId', /1 to 64/, 'a tenantId that is no id'],
  ['tenantId=a=b', 'tenantId', /1 to 64/, 'a second equals sign belongs to the value'],
  ['tenantId=t1&tenantId=t1', 'tenantId', /once/, 'tenantId twice'],
  ['tenantId=t1&limit=5&limit=5', 'limit', /once/, 'limit twice'],
  [`tenantId=t1&cursor=${cursor}&cursor=${cursor}`, 'cursor', /once/, 'cursor twice'],
  ['tenantId=t1&cursor=', 'cursor', /nextCursor/, 'an empty cursor'],
  ['tenantId=t1&cursor=abc', 'cursor', /nextCursor/, 'a damaged cursor'],
  [`tenantId=t1&cursor=${cursor}A`, 'cursor', /nextCursor/, 'a cursor too long'],
  [`tenantId=t2&cursor=${cursor}`, 'cursor', /nextCursor/, "another tenant's cursor"],
  ['tenantId=t1&limit=%ff', 'limit', /percent-encoded UTF-8/, 'bytes that are not UTF-8'],
  ['tenantId=t1&cursor=%zz', 'cursor', /percent-encoded UTF-8/, 'a broken escape'],
  ['tenantId=t1&%ff=1', '', /percent-encoded UTF-8/, 'a name that cannot be read is not repeated'],
]
for (const [raw, parameter, detail, why] of refused) {
  test(`?${raw} is refused: ${why}`, () => {
    const errors = errorsOf(raw)
    assert.deepEqual(
      errors.map((error) => error.parameter),
      [parameter],
    )
    assert.match(errors[0]!.detail, detail)
  })
}

test("another partner's cursor is refused", () => {
  const query = readHistoryQuery(decodeQuery(`tenantId=t1&cursor=${cursor}`), 'other')
  assert.deepEqual(!query.ok && query.errors.map((error) => error.parameter), ['cursor'])
})

test('every broken rule is named at once', () => {
  const parameters = errorsOf('limit=0&cursor=x&x=%zz').map((error) => error.parameter)
  assert.deepEqual(parameters, ['x', 'tenantId', 'limit', 'cursor'])
})

const signed: [raw: string, tenantId: string, why: string][] = [
  ['tenantId=t1', 't1', 'the value sent'],
  ['tenantId=%741', 't1', 'the value decoded'],
  ['tenantId=a+b', 'a b', 'a plus is a space'],
  ['tenantId=a%2Bb', 'a+b', 'an encoded plus is a plus'],
  ['limit=5', '', 'nothing where none was sent'],
  ['tenantId', '', 'nothing where it has no value'],
  ['tenantId=t1&limit=%ff', 't1', 'whatever else is wrong'],
]
for (const [raw, tenantId, why] of signed) {
  test(`the signature of ?${raw} covers ${JSON.stringify(tenantId)}: ${why}`, () => {
    assert.deepEqual(signedTenantId(decodeQuery(raw)), { ok: true, tenantId })
  })
}

const unsigned: [raw: string, detail: string][] = [
  ['tenantId=t1&tenantId=t2', once],
  ['tenantId=t1&tenantId=t1', once],
  ['tenantId=t1&tenantId=%ff', once],
  ['tenantId=%ff&tenantId=%ff', once],
  ['tenantId[]=t1', once],
  ['tenantId=t1&tenantId%5B%5D=t2', once],
  ['tenantId=%ff', 'is not valid percent-encoded UTF-8'],
  ['tenantId=%zz', 'is not valid percent-encoded UTF-8'],
]
for (const [raw, detail] of unsigned) {
  test(`?${raw} has no one tenantId that a signature could cover: ${detail}`, () => {
    assert.deepEqual(signedTenantId(decodeQuery(raw)), {
      ok: false,
      errors: [{ parameter: 'tenantId', detail }],
    })
  })
}

test('a query is decoded as URLSearchParams decodes it, where it is well-formed', () => {
  const texts = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed())
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts)), (pairs) => {
      const raw = new URLSearchParams(pairs).toString()
      const { parameters, errors } = decodeQuery(raw)
      const expected = new Map<string, string[]>()
      for (const [name, value] of new URLSearchParams(raw))
        expected.set(name, [...(expected.get(name) ?? []), value])
      assert.deepEqual({ parameters, errors }, { parameters: expected, errors: [] })
    }),
  )
})

function errorsOf(raw: string) {
  const query = readHistoryQuery(decodeQuery(raw), 'acme')
  assert.ok(!query.ok)
  return query.errors
}

test('nothing is cut off silently: empty parameters count, and what stands behind them is seen or the query refused', () => {
  const behind = (empty: number) => signedTenantId(decodeQuery(`${'&'.repeat(empty)}tenantId=t1`))
  assert.deepEqual(behind(31), { ok: true, tenantId: 't1' })
  assert.equal(behind(32).ok, false)
})

test('a query with more than 32 parameters is refused before any of them is decoded', () => {
  const refused = decodeQuery('a&'.repeat(4000))
  assert.deepEqual(refused.errors, [{ parameter: '', detail: 'the query has more than 32 parameters' }])
  assert.deepEqual(signedTenantId(refused), { ok: false, errors: refused.errors })
  assert.equal(decodeQuery(`tenantId=t1${'&a'.repeat(31)}`).errors.length, 0)
})
