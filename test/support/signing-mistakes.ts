import { createHash, createHmac } from 'node:crypto'
import type { MistakeId } from '../../src/doctor/mistakes.ts'
import { shellQuoted } from '../../src/doctor/shell-quoted.ts'

/** A request with a signature that went wrong in a known way. Made with node:crypto, not with the code under test. */
export type WrongRequest = {
  name: string
  /** What the debugger must name: these, and nothing else. */
  mistakes: MistakeId[]
  method: 'POST' | 'GET'
  target: string
  headers: [name: string, value: string][]
  body: string
}

export const apiKey = 'pck_i3aodzbMDxfnd1QG8vpecaUg'
export const signingSecret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
const bareSecret = signingSecret.slice(4)
const time = '1763182800123'

const compact =
  '{"tenantId":"t1","orderId":"A/1","userEmail":"lan@example.vn","amount":5000,"note":"cà phê <3"}'
const spaced = compact.replaceAll(',"', ', "').replaceAll('":', '": ')
const pretty = JSON.stringify(JSON.parse(compact), null, 2)
const sorted =
  '{"amount":5000,"note":"cà phê <3","orderId":"A/1","tenantId":"t1","userEmail":"lan@example.vn"}'
const asciiOnly = compact.replace('à', '\\u00e0').replace('ê', '\\u00ea')
const slashed = compact.replace('A/1', 'A\\/1')

type Key = string | Buffer
const hmac = (text: Key, key: Key = signingSecret, hash = 'sha256') => createHmac(hash, key).update(text)
const hex = (text: Key, key?: Key, hash?: string) => hmac(text, key, hash).digest('hex')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** The right signing string of the compact award. */
const right = `${time}.${compact}`

function award(
  name: string,
  mistakes: MistakeId[],
  signature: string,
  { body = compact, timestamp = time, key = apiKey } = {},
): WrongRequest {
  const type: [string, string] = ['Content-Type', 'application/json']
  const headers = [type, ...signed(signature, timestamp, key)]
  return { name, mistakes, method: 'POST', target: '/v1/ep/webhook', headers, body }
}

function history(
  name: string,
  mistakes: MistakeId[],
  signature: string,
  tenant = 't1',
  timestamp = time,
): WrongRequest {
  const target = `/v1/ep/webhook/awards?tenantId=${tenant}&limit=50`
  return { name, mistakes, method: 'GET', target, headers: signed(signature, timestamp, apiKey), body: '' }
}

function signed(signature: string, timestamp: string, key: string): [string, string][] {
  return [
    ['X-Api-Key', key],
    ['X-Timestamp', timestamp],
    ['X-Signature', signature],
  ]
}

export const rightRequests: WrongRequest[] = [
  award('an award', [], hex(right)),
  award('an indented award', [], hex(`${time}.${pretty}`), { body: pretty }),
  history('a history request', [], hex(`${time}.t1`)),
  history('a history request with an encoded tenantId', [], hex(`${time}.a b`), 'a%20b'),
]

export const wrongRequests: WrongRequest[] = [
  award('compact JSON signed, spaced JSON sent', ['body-compact'], hex(right), { body: spaced }),
  award('compact JSON signed, indented JSON sent', ['body-compact'], hex(right), { body: pretty }),
  award('spaced JSON signed, compact JSON sent', ['body-spaced'], hex(`${time}.${spaced}`)),
  award('indented JSON signed, compact JSON sent', ['body-pretty'], hex(`${time}.${pretty}`)),
  award('sorted keys signed', ['keys-sorted'], hex(`${time}.${sorted}`)),
  award('escaped slashes signed', ['slashes-escaped'], hex(`${time}.${slashed}`)),
  award('escaped slashes sent', ['escapes-removed'], hex(right), { body: slashed }),
  award('escaped letters signed', ['non-ascii-escaped'], hex(`${time}.${asciiOnly}`)),
  award('escaped signs signed', ['html-escaped'], hex(`${time}.${compact.replace('<', '\\u003c')}`)),
  award('a number rewritten', ['numbers-rewritten'], hex(right), { body: compact.replace('5000', '5e3') }),
  award('sorted keys and spaces', ['body-spaced', 'keys-sorted'], hex(`${time}.${sortedAndSpaced()}`)),
  award('a JSON string with JSON in it', ['body-quoted'], hex(`${time}.${JSON.stringify(compact)}`)),

  award('a newline signed that was not sent', ['newline-signed'], hex(`${right}\n`)),
  award('a newline sent that was not signed', ['newline-not-signed'], hex(right), { body: `${compact}\n` }),
  award('CRLF signed, LF sent', ['line-endings'], hex(`${time}.${pretty.replaceAll('\n', '\r\n')}`), {
    body: pretty,
  }),
  award('LF signed, CRLF sent', ['line-endings'], hex(`${time}.${pretty}`), {
    body: pretty.replaceAll('\n', '\r\n'),
  }),
  award('newlines signed that curl dropped', ['newlines-dropped'], hex(`${time}.${pretty}`), {
    body: oneLine(pretty),
  }),
  award('newlines sent that were not signed', ['newlines-not-signed'], hex(`${time}.${oneLine(pretty)}`), {
    body: pretty,
  }),
  award('a byte order mark signed', ['byte-order-mark'], hex(`${time}.\ufeff${compact}`)),
  award('a byte order mark sent', ['byte-order-mark'], hex(right), { body: `\ufeff${compact}` }),
  award('Latin-1 signed', ['other-encoding'], hex(Buffer.from(right, 'latin1'))),
  award('decomposed letters signed', ['unicode-normalised'], hex(right.normalize('NFD'))),
  award('nothing signed behind the dot', ['payload-empty'], hex(`${time}.`)),
  award('a hash of the body signed', ['hash-signed'], hex(`${time}.${sha256(compact)}`)),
  award('the base64 of the body signed', ['base64-signed'], hex(`${time}.${base64(compact)}`)),
  award('an award signed like a history request', ['tenant-signed-for-award'], hex(`${time}.t1`)),
  history('a history request signed like an award', ['body-signed-for-history'], hex(`${time}.`)),
  history('the query signed', ['query-signed'], hex(`${time}.tenantId=t1&limit=50`)),
  history('an encoded tenantId signed', ['tenant-percent-encoded'], hex(`${time}.a%20b`), 'a%20b'),

  award('seconds sent and signed', ['timestamp-in-seconds'], hex(`1763182800.${compact}`), {
    timestamp: '1763182800',
  }),
  award('seconds signed, milliseconds sent', ['seconds-signed'], hex(`1763182800.${compact}`)),
  award('seconds signed, rounded up', ['seconds-signed'], hex(`1763182801.${compact}`), {
    timestamp: '1763182800623',
  }),
  award(
    'seconds sent, milliseconds signed',
    ['timestamp-in-seconds', 'milliseconds-signed'],
    hex(`1763182800123.${compact}`),
    { timestamp: '1763182800' },
  ),
  award(
    'seconds sent, milliseconds of the next second signed',
    ['timestamp-in-seconds', 'milliseconds-signed'],
    hex(`1763182801004.${compact}`),
    { timestamp: '1763182800' },
  ),
  history(
    'seconds sent, milliseconds signed',
    ['timestamp-in-seconds', 'milliseconds-signed'],
    hex('1763182800999.t1'),
    't1',
    '1763182800',
  ),
  award('microseconds signed', ['timestamp-signed-in-other-form'], hex(`1763182800123456.${compact}`)),
  award('a float signed', ['timestamp-signed-in-other-form'], hex(`1.763182800123E+12.${compact}`)),
  award('a float sent', ['timestamp-not-digits'], hex(`1763182800123.456.${compact}`), {
    timestamp: '1763182800123.456',
  }),
  award(
    'a float sent, an integer signed',
    ['timestamp-not-digits', 'timestamp-signed-in-other-form'],
    hex(right),
    { timestamp: '1763182800123.456' },
  ),
  award('microseconds', ['timestamp-in-other-unit'], hex(`1763182800123456.${compact}`), {
    timestamp: '1763182800123456',
  }),
  award('a date as timestamp', ['timestamp-not-digits'], hex(`2025-11-15T05:00:00Z.${compact}`), {
    timestamp: '2025-11-15T05:00:00Z',
  }),
  award(
    'a date signed',
    ['timestamp-signed-in-other-form'],
    hex(`${new Date(Number(time)).toISOString()}.${compact}`),
  ),
  award('the clock read twice', ['clock-read-twice'], hex(`${Number(time) + 3}.${compact}`)),
  award('no timestamp signed', ['timestamp-not-signed'], hex(compact)),

  award('no dot', ['dot-missing'], hex(`${time}${compact}`)),
  history('no dot', ['dot-missing'], hex(`${time}t1`)),
  award('a colon for the dot', ['other-separator'], hex(`${time}:${compact}`)),
  award('the payload first', ['order-swapped'], hex(`${compact}.${time}`)),
  award('method and path signed', ['method-or-path-signed'], hex(`${time}.POST./v1/ep/webhook.${compact}`)),
  award('the API key signed', ['api-key-signed'], hex(`${apiKey}.${right}`)),

  award('the API key as secret', ['api-key-as-secret'], hex(right, apiKey)),
  history('the API key as secret', ['api-key-as-secret'], hex(`${time}.t1`, apiKey)),
  award('the secret without pcs_', ['secret-without-prefix'], hex(right, bareSecret)),
  award(
    'the secret decoded from base64',
    ['secret-base64-decoded'],
    hex(right, Buffer.from(bareSecret, 'base64')),
  ),
  award('a newline behind the secret', ['secret-with-newline'], hex(right, `${signingSecret}\n`)),
  award('a space behind the secret', ['secret-with-spaces'], hex(right, `${signingSecret} `)),
  award('quotation marks around the secret', ['secret-with-quotes'], hex(right, `"${signingSecret}"`)),
  award('the secret in small letters', ['secret-in-other-case'], hex(right, signingSecret.toLowerCase())),
  award('the base64 of the secret', ['secret-encoded'], hex(right, base64(signingSecret))),
  award('an empty secret', ['secret-empty'], hex(right, '')),
  award('undefined as secret', ['secret-placeholder'], hex(right, 'undefined')),
  award('another secret', ['other-secret-or-bytes'], hex(right, 'pcs_another')),

  award('SHA-256 without a key', ['no-secret'], sha256(right)),
  award('SHA-256 of secret and text', ['secret-in-message'], sha256(`${signingSecret}${right}`)),
  award('HMAC-SHA-1', ['hmac-sha1'], hex(right, signingSecret, 'sha1')),
  award('HMAC-SHA-384', ['hmac-sha384'], hex(right, signingSecret, 'sha384')),
  award('HMAC-SHA-512', ['hmac-sha512'], hex(right, signingSecret, 'sha512')),
  award('secret and text swapped', ['key-and-text-swapped'], hex(signingSecret, right)),

  award('the timestamp in single quotes', ['placeholder-sent'], hex(right), { timestamp: '$TIMESTAMP' }),
  award('the signature in single quotes', ['placeholder-sent'], `\${SIGNATURE}`),
  award('a clock in single quotes', ['placeholder-sent'], hex(right), { timestamp: '$(date +%s)000' }),
  award('a variable that Postman does not know', ['placeholder-sent'], '{{signature}}'),
  award('a timestamp that was never set', ['placeholder-sent'], hex(right), { timestamp: 'undefined' }),
  award('names signed instead of values', ['placeholder-signed'], hex('$TIMESTAMP.$BODY')),
  award('the name of the body signed', ['placeholder-signed'], hex(`${time}.\${BODY}`)),
  award('an object signed', ['placeholder-signed'], hex(`${time}.[object Object]`)),
  award('a time that was never set', ['placeholder-signed'], hex(`undefined.${compact}`)),
  award('the body as Python prints bytes', ['python-repr-signed'], hex(`${time}.b'${compact}'`)),
  award('the body as Python prints a dict', ['python-repr-signed'], hex(`${time}.${asPythonDict()}`)),
  award('echo -n of another shell', ['changed-by-echo'], hex(`-n ${right}\n`)),
  award('escapes replaced by echo', ['changed-by-echo'], hex(`${time}.{"note":"a\nb"}\n`), {
    body: '{"note":"a\\nb"}',
  }),
  award(
    'no quotes around $BODY',
    ['white-space-collapsed'],
    hex(`${time}.${pretty.replaceAll(/\s+/g, ' ')}\n`),
    {
      body: pretty,
    },
  ),
  award('quotes that PowerShell removed', ['body-quotes-lost'], hex(right), {
    body: compact.replaceAll('"', ''),
  }),
  award('quotes with backslashes', ['body-quotes-lost'], hex(right), {
    body: compact.replaceAll('"', '\\"'),
  }),
  award('a form instead of JSON', ['body-form-encoded'], hex(right), {
    body: 'tenantId=t1&orderId=A%2F1&userEmail=lan%40example.vn&amount=5000',
  }),
  award(
    'the name of the setting in the secret',
    ['secret-with-name'],
    hex(right, `SIGNING_SECRET=${signingSecret}`),
  ),
  award('Bearer before the API key', ['api-key-malformed'], hex(right), { key: `Bearer ${apiKey}` }),
  award('quotation marks around the API key', ['api-key-malformed'], hex(right), { key: `"${apiKey}"` }),

  award('capital letters', ['signature-in-capitals'], hex(right).toUpperCase()),
  award('base64', ['signature-in-base64'], hmac(right).digest('base64')),
  award('base64url', ['signature-in-base64url'], hmac(right).digest('base64url')),
  award('a prefix', ['signature-with-prefix'], `sha256=${hex(right)}`),
  award('two prefixes', ['signature-with-prefix'], `sha256=sha256=${hex(right)}`),
  award('what openssl prints', ['signature-with-prefix'], `SHA2-256(stdin)= ${hex(right)}`),
  award('what sha256sum prints', ['signature-with-prefix'], `${hex(right)}  -`),
  award('the header of another service', ['signature-with-prefix'], `t=${time},v1=${hex(right)}`),
  award('dashes', ['signature-in-capitals', 'signature-with-separators'], dashed(hex(right).toUpperCase())),
  award('quotation marks', ['signature-with-quotes'], `"${hex(right)}"`),
  award('hex of hex', ['signature-encoded-twice'], Buffer.from(hex(right)).toString('hex')),
  award('base64 of hex', ['signature-encoded-twice', 'signature-in-base64'], base64(hex(right))),
  award('the end missing', ['signature-cut'], hex(right).slice(0, 63)),

  award('two mistakes at once', ['dot-missing', 'api-key-as-secret'], hex(`${time}${compact}`, apiKey)),
  award('the secret sent as API key', ['secret-sent'], hex(right), { key: signingSecret }),
  without(award('no signature', ['header-missing'], ''), 'X-Signature'),
  twice(award('two timestamps', ['header-repeated'], hex(right)), 'X-Timestamp'),
]

function sortedAndSpaced(): string {
  return sorted.replaceAll(',"', ', "').replaceAll('":', '": ')
}

function asPythonDict(): string {
  return spaced.replaceAll('"', "'")
}

function oneLine(text: string): string {
  return text.replaceAll('\n', '')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function dashed(text: string): string {
  return text.match(/../g)!.join('-')
}

function without(request: WrongRequest, header: string): WrongRequest {
  return { ...request, headers: request.headers.filter(([name]) => name !== header) }
}

function twice(request: WrongRequest, header: string): WrongRequest {
  return {
    ...request,
    headers: request.headers.flatMap((line) => (line[0] === header ? [line, line] : [line])),
  }
}

/** The request as it goes over the wire. */
export function asHttp({ method, target, headers, body }: WrongRequest): string {
  const length: [string, string][] = body === '' ? [] : [['Content-Length', String(Buffer.byteLength(body))]]
  const lines = [['Host', 'partners.example'] as const, ...headers, ...length].map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/** The request as a command that can be pasted into a shell. */
export function asCurl({ target, headers, body }: WrongRequest): string {
  return [
    `curl -sS -i ${shellQuoted(`https://partners.example${target}`)}`,
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`--data-binary ${shellQuoted(body)}`]),
  ].join(' \\\n  ')
}

/** A sample for the command lines: src/doctor tests all of them, and finding a mistake tries thousands of signatures. */
export const someWrongRequests = wrongRequests.filter((_, index) => index % 7 === 0)
