import { deepEqual, equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { send } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, globex, url } = service
for (let count = 0; count < 3; count++) {
  for (const tenantId of ['t1', 't2']) await acme.award({ ...privateFields, tenantId })
  await globex.award(privateFields)
}

const badRequest = (names: string[]) => ({ status: 400, code: 'INVALID_REQUEST', names })
const invalidSignature = { status: 401, code: 'INVALID_SIGNATURE' }

/** Any query, signed over the tenantId given, which need not be the one in it. */
const get = (query: string, signed: string) =>
  send(`${url}/v1/ep/webhook/awards${query}`, { headers: acme.headers(signed) })

describe('a tenantId must be given once, in readable form', () => {
  test('missing: 400 INVALID_REQUEST where "<timestamp>." is signed, else 401 INVALID_SIGNATURE', async () => {
    for (const query of ['', '?', '?limit=5', '?TenantId=t1', '?tenantid=t1', '?tenant%49D=t1']) {
      await assertRefused(service, badRequest(['tenantId']), () => get(query, ''))
      await assertRefused(service, invalidSignature, () => get(query, 't1'))
    }
  })
  test('empty: the same', async () => {
    for (const query of ['?tenantId=', '?tenantId']) {
      await assertRefused(service, badRequest(['tenantId']), () => get(query, ''))
      await assertRefused(service, invalidSignature, () => get(query, 't1'))
    }
  })
  const cases: [string, string][] = [
    ['repeated', '?tenantId=t1&tenantId=t1'],
    ['repeated with another', '?tenantId=t1&tenantId=t2'],
    ['repeated, its name encoded once', '?tenantId=t1&%74enantId=t2'],
    ['in brackets', '?tenantId[]=t1'],
    ['in encoded brackets', '?tenantId%5B%5D=t1'],
    ['both plain and in brackets', '?tenantId=t1&tenantId[]=t2'],
    ['%ff', '?tenantId=%ff'],
    ['%zz', '?tenantId=%zz'],
    ['a cut-off escape', '?tenantId=t1%'],
    ['once readable, once not', '?tenantId=t1&tenantId=%ff'],
  ]
  for (const [what, query] of cases) {
    test(`${what} is 400 INVALID_REQUEST, whatever is signed`, async () => {
      for (const signed of ['t1', '']) {
        await assertRefused(service, badRequest(['tenantId']), () => get(query, signed))
      }
    })
  }
  for (const tenantId of ['t1 ', ' t1', 't1\n', 't'.repeat(65), 't1/private', 'té', '{"tenantId":"t1"}']) {
    test(`${JSON.stringify(tenantId)} is 400 INVALID_REQUEST when it is signed`, async () => {
      await assertRefused(service, badRequest(['tenantId']), () => acme.history(tenantId))
    })
  }
})

describe('a limit that is not a plain integer from 1 to 100 is 400 INVALID_REQUEST', () => {
  const limits = [
    '0',
    '-1',
    '101',
    '1.5',
    '1e2',
    '010',
    '%2020',
    '20%20',
    '+20',
    '20abc',
    '',
    '0x10',
    '٢٠',
    'null',
    '%ff',
    '%zz',
    '1000',
    '2%00',
  ]
  for (const limit of limits) {
    test(`limit=${limit}`, async () => {
      await assertRefused(service, badRequest(['limit']), () => acme.history('t1', `&limit=${limit}`))
    })
  }
  test('repeated', async () => {
    await assertRefused(service, badRequest(['limit']), () => acme.history('t1', '&limit=5&limit=5'))
  })
  test('without a value', async () => {
    await assertRefused(service, badRequest(['limit']), () => acme.history('t1', '&limit'))
  })
  for (const limit of ['1', '20', '100', '%31']) {
    test(`limit=${limit} is fine`, async () => {
      equal((await acme.history('t1', `&limit=${limit}`)).status, 200)
    })
  }
})

describe('a cursor that is not ours to the letter is 400 INVALID_REQUEST', async () => {
  const cursorOf = async (page: ReturnType<typeof acme.history>): Promise<string> =>
    (await page).body.nextCursor
  const cursor = await cursorOf(acme.history('t1', '&limit=1'))
  const bytes = Buffer.from(cursor, 'base64url')
  const flipped = (index: number) => {
    const copy = Buffer.from(bytes)
    copy[index]! ^= 1
    return copy.toString('base64url')
  }
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const otherLast = alphabet[alphabet.indexOf(cursor.at(-1)!) ^ 1]!
  const cases: [string, string][] = [
    ['empty', ''],
    ['nonsense', 'private'],
    ['a plain number', '1'],
    ['another version', flipped(0)],
    ['another place', flipped(8)],
    ['another check', flipped(16)],
    ['cut off', cursor.slice(0, -1)],
    ['one character more', `${cursor}A`],
    ['over-long', cursor.repeat(200)],
    ['a space behind it', `${cursor}%20`],
    ['padded', `${cursor}%3D`],
    ['unused bits set: base64 that is not canonical', cursor.slice(0, -1) + otherLast],
    ['with a character that base64 skips', `${cursor.slice(0, 5)}*${cursor.slice(5)}`],
    ['of another tenant', await cursorOf(acme.history('t2', '&limit=1'))],
    ['of another partner', await cursorOf(globex.history('t1', '&limit=1'))],
    ['%ff', '%ff'],
    ['%zz', '%zz'],
  ]
  for (const [what, value] of cases) {
    test(what, async () => {
      await assertRefused(service, badRequest(['cursor']), () => acme.history('t1', `&cursor=${value}`))
    })
  }
  test('repeated', async () => {
    const twice = `&cursor=${cursor}&cursor=${cursor}`
    await assertRefused(service, badRequest(['cursor']), () => acme.history('t1', twice))
  })
  test('unchanged it gives the next page', async () => {
    const { status, body } = await acme.history('t1', `&limit=2&cursor=${cursor}`)
    deepEqual([status, body.items.length, body.nextCursor], [200, 2, null])
  })
})

describe('the query as a whole', () => {
  test('all broken parameters are named at once', async () => {
    const names = ['cursor', 'limit']
    await assertRefused(service, badRequest(names), () => acme.history('t1', '&limit=0&cursor=private'))
  })
  test('without a signature, errors of limit and cursor are not disclosed', async () => {
    await assertRefused(service, invalidSignature, () => get('?tenantId=t1&limit=0&cursor=x', 't2'))
  })
  test('a parameter that cannot be decoded is 400 INVALID_REQUEST even where it is unknown', async () => {
    await assertRefused(service, badRequest(['extra']), () => acme.history('t1', '&extra=%ff'))
    await assertRefused(service, badRequest(['']), () => acme.history('t1', '&private%zz=1'))
  })
  test('unknown parameters are ignored', async () => {
    equal((await acme.history('t1', '&extra=1&extra=2&limit[]=0&&=')).status, 200)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
