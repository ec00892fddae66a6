import { deepEqual, equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import type { Entry } from '../../src/rules/entry.ts'
import { anAwardBody } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme } = service
const emoji = '\u{1f600}'

async function entryOf(epTransactionId: string): Promise<Entry> {
  const [entries] = JSON.parse(await service.dump())
  return entries.flat().find((entry: Entry) => entry.epTransactionId === epTransactionId)
}

describe('an orderId is kept and compared byte for byte', () => {
  const alike = ['A1', 'a1', 'A1 ', ' A1', 'A1\u00a0', 'caf\u00e9', 'cafe\u0301', '\uff21\uff11']
  test('ids that only look alike are different orders', async () => {
    const first = await Promise.all(
      alike.map((orderId) => acme.award({ orderId, userEmail: 'lan@example.com' })),
    )
    deepEqual(new Set(first.map(({ status }) => status)), new Set([202]))
    equal(new Set(first.map(({ body }) => body.epTransactionId)).size, alike.length)
    for (const [index, orderId] of alike.entries()) {
      const replay = await acme.award({ orderId, userEmail: 'lan@example.com' })
      equal(replay.body.epTransactionId, first[index]!.body.epTransactionId)
    }
  })

  const odd = [
    "'; DROP TABLE entries; --",
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '%00',
    '{{7*7}}',
    '=1+1',
    'null',
    '\\u0000',
    '\u202egnirts',
    emoji.repeat(200),
    'a'.repeat(200),
  ]
  for (const orderId of odd) {
    test(`${orderId.slice(0, 30)} is accepted and stored as it is`, async () => {
      const award = { orderId, userEmail: 'lan@example.com' }
      const { status, body } = await acme.award(award)
      deepEqual([status, body.orderId], [202, orderId])
      const history = await acme.history('t1', '&limit=1')
      equal(history.body.items[0].orderId, orderId)
      equal((await acme.award(award)).body.code, 'DUPLICATE')
    })
  }
})

describe('a note is kept as sent', () => {
  const cases: [string, string | null, string | null][] = [
    ['500 characters', 'private'.padEnd(500, 'x'), 'private'.padEnd(500, 'x')],
    ['500 emoji', emoji.repeat(500), emoji.repeat(500)],
    ['tab and newline', 'a private\tnote\r\n', 'a private\tnote\r\n'],
    ['empty', '', ''],
    ['null', null, null],
    ['markup', '<b>private</b> & "quoted"', '<b>private</b> & "quoted"'],
  ]
  for (const [what, note, stored] of cases) {
    test(what, async () => {
      equal((await acme.award({ note })).status, 202)
      const history = await acme.history('t1', '&limit=1')
      equal(history.body.items[0].note, stored)
    })
  }
})

describe('meta is kept as sent', () => {
  const texts = [
    '{}',
    '{ "b" : 1 , "a" : 2 }',
    '{"big":12345678901234567890,"price":1.10,"zero":-0,"exp":1E+2}',
    '{"nested":{"list":[1,[2,{"three":[]}]],"nothing":null}}',
    '{"\\u0061":"\\u00e9\\/private"}',
    '{"text":"é 😀","control":"\\u0000"}',
    '{"constructor":{"prototype":{}},"toString":1}',
  ]
  for (const text of texts) {
    test(text, async () => {
      const body = JSON.stringify(anAwardBody()).replace(/\}$/, `,"meta":${text}}`)
      const answer = await acme.awardBytes(body)
      equal(answer.status, 202, answer.text)
      equal((await entryOf(answer.body.epTransactionId)).meta, text)
    })
  }
})

describe('USER@Example.COM and user@example.com are one user', () => {
  test('stored in lower case, under one cap', async () => {
    await service.operate((operator) => setTenantCaps(operator, 't2', 10))
    const award = { ...privateFields, tenantId: 't2', amount: 6000 }
    const { body } = await acme.award({ ...award, userEmail: 'USER.Private@Example.COM' })
    equal((await entryOf(body.epTransactionId)).userEmail, 'user.private@example.com')
    equal((await acme.history('t2')).body.items[0].userEmail, 'user.private@example.com')

    const expected = { status: 429, code: 'DAILY_CAP_EXCEEDED' }
    const again = () => acme.award({ ...award, userEmail: 'user.private@example.com' })
    const refusal = await assertRefused(service, expected, again)
    equal(refusal.body.cap, 'perUserDay')
    equal((await acme.award({ ...award, userEmail: 'user.private@example.org' })).status, 202)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
