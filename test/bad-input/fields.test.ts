import { deepEqual, equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { anAwardBody, type AwardFields } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme } = service
await acme.award(privateFields)

const emoji = '\u{1f600}'
const badRequest = (names: string[]) => ({ status: 400, code: 'INVALID_REQUEST', names })

/** A field written as given: numbers that JavaScript would round, characters as escapes. */
function withText(field: string, text: string, fields: AwardFields = {}): string {
  const { [field]: _, ...others } = anAwardBody({ ...privateFields, ...fields })
  return JSON.stringify(others).replace(/\}$/, `,"${field}":${text}}`)
}

describe('a value that breaks the rule of its field is 400 INVALID_REQUEST naming it', () => {
  const text = (value: unknown) => JSON.stringify(value)
  const address = 'lan.private@example.com'
  const cases: Record<string, [string, text: string | undefined][]> = {
    tenantId: [
      ['missing', undefined],
      ['null', 'null'],
      ['a number', '1'],
      ['an array', '["t1"]'],
      ['empty', '""'],
      ['65 characters', text('t'.repeat(65))],
      ['with a space', '"t1 "'],
      ['beginning with a dot', '".t1"'],
      ['with a slash', '"t1/private"'],
      ['with a newline behind it', '"t1\\n"'],
      ['with an accent', '"té"'],
    ],
    orderId: [
      ['missing', undefined],
      ['null', 'null'],
      ['a number', '7'],
      ['a boolean', 'true'],
      ['an object', '{}'],
      ['empty', '""'],
      ['201 characters', text('a'.repeat(201))],
      ['201 emoji', text(emoji.repeat(201))],
      ['NUL', '"a\\u0000b"'],
      ['a tab', '"a\\tb"'],
      ['a newline', '"a\\nb"'],
      ['DEL', '"a\\u007fb"'],
      ['a C1 control character', '"a\\u0085b"'],
      ['a lone high surrogate', '"a\\ud83d"'],
      ['a lone low surrogate', '"\\ude00a"'],
      ['surrogates the wrong way round', '"\\ude00\\ud83d"'],
    ],
    userEmail: [
      ['missing', undefined],
      ['null', 'null'],
      ['a number', '5'],
      ['an array', text([address])],
      ['empty', '""'],
      ['without @', text('private.example.com')],
      ['two @', text('private@home@example.com')],
      ['nothing before the @', text('@private.com')],
      ['nothing behind the @', text('private@')],
      ['a space in front', text(` ${address}`)],
      ['a space behind', text(`${address} `)],
      ['a space inside', text('lan private@example.com')],
      ['a newline behind', text(`${address}\n`)],
      ['a@b', text('a@b')],
      ['a dot in front', text('.private@example.com')],
      ['a dot before the @', text('private.@example.com')],
      ['two dots', text('lan..private@example.com')],
      ['a dot behind the @', text('private@.example.com')],
      ['a dot at the end', text('private@example.com.')],
      ['two dots in the domain', text('private@example..com')],
      ['a hyphen before a dot', text('private@example-.com')],
      ['an underscore in the domain', text('private@ex_ample.com')],
      ['quoted', text('"lan private"@example.com')],
      ['an address literal', text('private@[127.0.0.1]')],
      ['a comment', text('private(lan)@example.com')],
      ['a display name', text(`Lan <${address}>`)],
      ['Unicode before the @', text('privaté@example.com')],
      ['a Unicode domain', text('private@exämple.com')],
      ['the Kelvin sign', text('private\u212a@example.com')],
      ['a full-width @', text('private\uff20example.com')],
      ['65 characters before the @', text(`${'private'.padEnd(65, 'x')}@example.com`)],
      ['255 characters', text(`private@${'a.'.repeat(122)}com`)],
      ['a label of 64', text(`private@${'a'.repeat(64)}.com`)],
    ],
    amount: [
      ['missing', undefined],
      ['null', 'null'],
      ['a string', '"5000"'],
      ['a boolean', 'true'],
      ['an array', '[5000]'],
      ['a fraction', '1500.5'],
      ['zero', '0'],
      ['minus zero', '-0'],
      ['negative', '-1'],
      ['a negative order value', '-5000'],
      ['2^53', '9007199254740992'],
      ['2^53 + 1, which JavaScript reads as 2^53', '9007199254740993'],
      ['1e400', '1e400'],
      ['an exponent without end', `1e${'9'.repeat(5000)}`],
      ['a fraction that JavaScript rounds away', '1000.0000000000000001'],
      ['almost an integer', '999.99999999999999999'],
      ['a negative exponent', '5000e-4'],
    ],
    note: [
      ['501 characters', text('private'.padEnd(501, 'x'))],
      ['501 emoji', text(emoji.repeat(501))],
      ['a number', '5'],
      ['a boolean', 'false'],
      ['an object', '{"text":"private"}'],
      ['NUL', '"private\\u0000"'],
      ['an escape character', '"private\\u001b[31m"'],
      ['a lone surrogate', '"private\\ud83d"'],
    ],
    meta: [
      ['an array', '[]'],
      ['a string', '"private"'],
      ['a number', '5'],
      ['a boolean', 'true'],
    ],
  }
  for (const [field, values] of Object.entries(cases)) {
    for (const [what, value] of values) {
      test(`${field}: ${what}`, async () => {
        const body =
          value === undefined
            ? JSON.stringify(anAwardBody({ ...privateFields, [field]: undefined }))
            : withText(field, value)
        await assertRefused(service, badRequest([`/${field}`]), () => acme.awardBytes(body))
      })
    }
  }
})

describe('a well-formed tenantId that is not ours is 403 TENANT_NOT_ALLOWED', () => {
  for (const tenantId of ['t3', 'T1', 't1.', 't'.repeat(64)]) {
    test(tenantId, async () => {
      const expected = { status: 403, code: 'TENANT_NOT_ALLOWED' }
      await assertRefused(service, expected, () => acme.award({ ...privateFields, tenantId }))
      await assertRefused(service, expected, () => acme.history(tenantId))
    })
  }
  test("another partner's tenant", async () => {
    const expected = { status: 403, code: 'TENANT_NOT_ALLOWED' }
    await assertRefused(service, expected, () => service.globex.award({ ...privateFields, tenantId: 't2' }))
    await assertRefused(service, expected, () => service.globex.history('t2'))
  })
})

describe('an amount of 1 to 999 is 422 AMOUNT_BELOW_MIN; from 1000 on it is floored', () => {
  for (const amount of ['1', '999', '999.0', '9.99e2']) {
    test(amount, async () => {
      const expected = { status: 422, code: 'AMOUNT_BELOW_MIN' }
      const { body } = await assertRefused(service, expected, () =>
        acme.awardBytes(withText('amount', amount)),
      )
      equal(body.minimum, 1000)
    })
  }
  const accepted: [string, number][] = [
    ['1000', 1],
    ['1999', 1],
    ['2000', 2],
    ['5000.0', 5],
    ['5e3', 5],
    ['50.00E+2', 5],
    ['10000999', 10_000],
  ]
  for (const [amount, points] of accepted) {
    test(`${amount} gives ${points} EP`, async () => {
      const { status, body } = await acme.awardBytes(
        withText('amount', amount, { userEmail: `u${amount}@example.com` }),
      )
      deepEqual([status, body.points], [202, points])
    })
  }
  test('2^53 - 1 is an integer, and over the cap', async () => {
    const expected = { status: 422, code: 'PER_TX_CAP_EXCEEDED' }
    const body = withText('amount', String(Number.MAX_SAFE_INTEGER))
    const answer = await assertRefused(service, expected, () => acme.awardBytes(body))
    equal(answer.body.requested, 9_007_199_254_740)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
