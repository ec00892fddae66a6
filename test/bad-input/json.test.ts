import { equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { anAwardBody } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme } = service
await acme.award(privateFields)

const valid = JSON.stringify(anAwardBody(privateFields))
const badRequest = { status: 400, code: 'INVALID_REQUEST' }

/** The valid award with more text before its last brace. */
const withMember = (text: string) => valid.replace(/\}$/, `,${text}}`)
/** The valid award with another meta, written as given. */
const withMeta = (meta: string) => valid.replace('{"shelf":"private"}', meta)
const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
const metaOf = (bytes: number) => `{"private":"${'a'.repeat(bytes - 14)}"}`

describe('a body that is not one JSON object in UTF-8 is 400 INVALID_REQUEST', () => {
  const utf8 = Buffer.from(valid)
  const bad = (...bytes: number[]) =>
    Buffer.concat([utf8.subarray(0, -2), Buffer.from(bytes), utf8.subarray(-2)])
  const cases: [string, string | Uint8Array][] = [
    ['empty', ''],
    ['white space only', ' \n '],
    ['null', 'null'],
    ['an array', '[]'],
    ['an award in an array', `[${valid}]`],
    ['a string', '"private"'],
    ['an award in a string', JSON.stringify(valid)],
    ['a number', '5000'],
    ['true', 'true'],
    ['truncated by one byte', valid.slice(0, -1)],
    ['truncated in a string', valid.slice(0, 20)],
    ['a brace alone', '{'],
    ['a trailing comma', valid.replace(/\}$/, ',}')],
    ['a trailing comma in an array', withMeta('{"a":["private",]}')],
    ['a line comment', `${valid} // private`],
    ['a block comment', valid.replace('{', '{/* private */')],
    ['NaN', valid.replace('5000', 'NaN')],
    ['Infinity', valid.replace('5000', 'Infinity')],
    ['a leading zero', valid.replace('5000', '05000')],
    ['a plus sign', valid.replace('5000', '+5000')],
    ['hexadecimal', valid.replace('5000', '0x1388')],
    ['a number that ends in its point', valid.replace('5000', '5000.')],
    ['single quotes', valid.replaceAll('"', "'")],
    ['keys without quotes', valid.replace('"amount"', 'amount')],
    ['a raw newline in a string', valid.replace('a private', 'a\nprivate')],
    ['an unknown escape', valid.replace('a private', '\\private')],
    ['two documents', `${valid}${valid}`],
    ['two documents on two lines', `${valid}\n${valid}`],
    ['something behind the document', `${valid}private`],
    ['a NUL behind the document', `${valid}\0`],
    ['a no-break space', `\u00a0${valid}`],
    ['a byte order mark', `\ufeff${valid}`],
    ['a stray continuation byte', bad(0x80)],
    ['a byte that UTF-8 never has', bad(0xff)],
    ['a cut-off sequence', bad(0xc3)],
    ['an over-long slash', bad(0xc0, 0xaf)],
    ['an encoded surrogate', bad(0xed, 0xa0, 0x80)],
    ['a code point beyond Unicode', bad(0xf4, 0x90, 0x80, 0x80)],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${valid}`, 'utf16le')],
    ['UTF-16 little-endian', Buffer.from(valid, 'utf16le')],
    ['UTF-16 big-endian', Buffer.from(valid, 'utf16le').swap16()],
    ['as deep as the body is long', '['.repeat(65_000)],
  ]
  for (const [what, body] of cases) {
    test(what, async () => {
      await assertRefused(service, { ...badRequest, names: [''] }, () => acme.awardBytes(body))
    })
  }
})

describe('a key that makes the award ambiguous is 400 INVALID_REQUEST naming it', () => {
  const cases: [string, body: string, pointer: string][] = [
    ['amount twice', withMember('"amount":9000'), '/amount'],
    ['amount twice, the same', withMember('"amount":5000'), '/amount'],
    ['amount twice, once in escapes', withMember('"\\u0061mount":9000'), '/amount'],
    ['note twice', withMember('"note":"private"'), '/note'],
    ['twice in meta', withMeta('{"a":"private","a":2}'), '/meta/a'],
    ['twice in meta, once in escapes', withMeta('{"ab":1,"a\\u0062":2}'), '/meta/ab'],
    ['twice deep in meta', withMeta('{"list":[0,{"b":{"c":1,"c":2}}]}'), '/meta/list/1/b/c'],
    ['twice, and not a plain word', withMeta('{"lan private":1,"lan private":2}'), '/meta'],
    ['__proto__', withMember('"__proto__":{"amount":9000}'), '/__proto__'],
    ['__proto__ in escapes', withMember('"\\u005f_proto__":null'), '/__proto__'],
    ['__proto__ in meta', withMeta('{"__proto__":{"private":true}}'), '/meta/__proto__'],
    ['__proto__ deep in meta', withMeta('{"a":[{"__proto__":1}]}'), '/meta/a/0/__proto__'],
    ['33 levels in meta', withMeta(nested(33)), '/meta'],
    ['very many levels in meta', withMeta(nested(20_000)), '/meta'],
    ['meta of 16,385 bytes', withMeta(metaOf(16_385)), '/meta'],
    ['meta of 16,385 bytes in two-byte characters', withMeta(`{"a":"${'é'.repeat(8188)}aa"}`), '/meta'],
    ['meta padded beyond 16 KiB with white space', withMeta(`{${' '.repeat(16_383)}}`), '/meta'],
    ['an unknown field', withMember('"currency":"private"'), '/currency'],
    ['an unknown field that is null', withMember('"currency":null'), '/currency'],
    ['a field in another case', withMember('"Note":"private"'), '/Note'],
    ['a field in capitals', withMember('"AMOUNT":9000'), '/AMOUNT'],
    ['a field with a space behind it', withMember('"amount ":9000'), ''],
    ['an address as a field', withMember('"lan.private@example.com":1'), ''],
    ['a field of the prototype', withMember('"constructor":1'), '/constructor'],
  ]
  for (const [what, body, pointer] of cases) {
    test(what, async () => {
      await assertRefused(service, { ...badRequest, names: [pointer] }, () => acme.awardBytes(body))
    })
  }
  test('all doubtful keys are named at once', async () => {
    const body = withMember('"amount":1,"__proto__":1,"note":"private"')
    const names = ['/amount', '/__proto__', '/note']
    await assertRefused(service, { ...badRequest, names }, () => acme.awardBytes(body))
  })
  test('all unknown and all broken fields are named at once', async () => {
    const body = JSON.stringify({
      currency: 'private',
      tenantId: '',
      orderId: '',
      userEmail: 'private',
      amount: 0,
    })
    const names = ['/currency', '/tenantId', '/orderId', '/userEmail', '/amount']
    await assertRefused(service, { ...badRequest, names }, () => acme.awardBytes(body))
  })
})

describe('at the bounds, and in unusual but unambiguous form, an award is accepted', () => {
  const order = (body: string, orderId: string) => body.replace(/"orderId":"[^"]*"/, `"orderId":"${orderId}"`)
  const cases: [string, string][] = [
    ['as it is', valid],
    ['white space all around', ` \t\r\n${valid.replaceAll(',', ' ,\n\t')}\n`],
    ['32 levels in meta', withMeta(nested(32))],
    ['meta of 16,384 bytes', withMeta(metaOf(16_384))],
    ['keys in escapes', valid.replace('"amount"', '"\\u0061mount"')],
    ['the same key at different places in meta', withMeta('{"a":{"a":1},"b":[{"a":1},{"a":1}],"amount":1}')],
    ['constructor in meta', withMeta('{"constructor":{"prototype":1},"toString":null}')],
  ]
  for (const [index, [what, body]] of cases.entries()) {
    test(what, async () => {
      const { status, text } = await acme.awardBytes(order(body, `bounds-${index}`))
      equal(status, 202, text)
    })
  }
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
