import { equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readAwardRequest } from '../../src/rules/award-request.ts'

/** Values by the grammar of RFC 8259, as the value of a member of meta: bytes, so that encodings count too. */
const accepted: (string | number[])[] = [
  ...['[]', '[[]]', '[ ]', '{}', '{ }', '[{},[]]', 'null', 'true', 'false', '""', '" "', '"a"'],
  ...[
    '0',
    '-0',
    '-1',
    '10',
    '0.1',
    '-0.1',
    '1e1',
    '1E1',
    '1e+1',
    '1e-1',
    '0e0',
    '0E+0',
    '1.5e-10',
    '123456789012345678901234567890',
  ],
  ...['1e9999', '-1e9999', '1e-9999', '0.00000000000000000000000000000000000001', '-0.0'],
  ...[
    '"\\""',
    '"\\\\"',
    '"\\/"',
    '"/"',
    '"\\b\\f\\n\\r\\t"',
    '"\\u0000"',
    '"\\u0041"',
    '"\\uABCD"',
    '"\\uabcd"',
  ],
  ...[
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"é"',
    '"\u2028\u2029"',
    '"\u007f"',
    '"\ufeff"',
    '"😀"',
    '"\\u2028"',
  ],
  ...[
    ' \t\n\r1',
    '[1 , 2]',
    '{"" : 0}',
    '{"a" :\n1}',
    '{"constructor":1}',
    '["a",1,null,{"b":[]}]',
    '"// no comment"',
  ],
  [0x22, 0xf4, 0x8f, 0xbf, 0xbf, 0x22],
  [0x22, 0xef, 0xbf, 0xbf, 0x22],
]

const refused: (string | number[])[] = [
  ...[
    '',
    ' ',
    '[',
    ']',
    '{',
    '}',
    '[1',
    '[1,',
    '[,]',
    '[,1]',
    '[1,]',
    '[1,,2]',
    '[1 2]',
    '[1]]',
    '[1:2]',
    '["a"',
    '["a',
    '[1}',
  ],
  ...[
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{"a":1,,"b":2}',
    '{"a" 1}',
    '{"a"::1}',
    '{a:1}',
    "{'a':1}",
    '{1:1}',
    '{null:1}',
    '{"a":1 "b":2}',
    '{"a":1]',
  ],
  ...[
    'nul',
    'nulls',
    'True',
    'TRUE',
    'tru',
    'falsE',
    'undefined',
    'NaN',
    '-NaN',
    'Infinity',
    '+Infinity',
    'None',
    'a',
    '*',
    "'a'",
    '`a`',
  ],
  ...[
    '+1',
    '01',
    '-01',
    '00',
    '1.',
    '.1',
    '-.1',
    '-',
    '--1',
    '1e',
    '1e+',
    '1E-',
    '1.e1',
    '.e1',
    '0x1',
    '1_0',
    '1,0',
    '1a',
    '-a',
    '0.1.2',
    '1e1.5',
    '1e1e1',
    '１',
    '∞',
  ],
  ...[
    '"',
    '"a',
    '"\\"',
    '"\\x41"',
    '"\\u"',
    '"\\u004"',
    '"\\u00G0"',
    '"\\U0041"',
    '"\\a"',
    '"\\\'"',
    '"\\0"',
    '"\\ud83d\\u"',
    '"\t"',
    '"\n"',
    '"\0"',
    '"\u001f"',
    '"a" "b"',
  ],
  ...[
    '\f1',
    '\v1',
    '\u00a01',
    '\u20281',
    '\ufeff1',
    '\0',
    '1\0',
    '/**/1',
    '1/**/',
    '//\n1',
    '#\n1',
    '1;',
    '1,',
  ],
  ...['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '{"__proto__":1}', '[{"b":{"__proto__":{}}}]', '['.repeat(500)],
  [0x22, 0xff, 0x22],
  [0x22, 0x80, 0x22],
  [0x22, 0xc3, 0x22],
  [0x22, 0xc0, 0x80, 0x22],
  [0x22, 0xe0, 0x80, 0xaf, 0x22],
  [0x22, 0xed, 0xa0, 0x80, 0x22],
  [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
  [0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22],
]

const before = Buffer.from(
  '{"tenantId":"t1","orderId":"o","userEmail":"u@example.com","amount":1000,"meta":{"m":',
)
const withMember = (value: Buffer) => Buffer.concat([before, value, Buffer.from('}}')])
const bytesOf = (value: string | number[]) => Buffer.from(value as string)
const shown = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1').slice(0, 40))

describe(`${accepted.length} values that the grammar of JSON has`, () => {
  for (const value of accepted.map(bytesOf)) {
    test(`${shown(value)} is kept as it was sent`, () => {
      const checked = readAwardRequest(withMember(value))
      equal(checked.ok && checked.request.meta, `{"m":${value}}`)
      JSON.parse(value.toString()) // and an ordinary reader has it too
    })
  }
})

describe(`${refused.length} values that it has not, or that would be read in two ways`, () => {
  for (const value of refused.map(bytesOf)) {
    test(`${shown(value)} is refused`, () => {
      const checked = readAwardRequest(withMember(value))
      equal(checked.ok, false)
      match(
        checked.ok ? '' : checked.errors[0]!.detail,
        /not JSON|UTF-8|twice|not accepted as a key|nested deeper/,
      )
    })
  }
})
