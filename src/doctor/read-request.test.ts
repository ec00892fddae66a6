import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { textOf, utf8 } from './bytes.ts'
import type { FileReader } from './read-curl.ts'
import { readRequest } from './read-request.ts'
import type { SentRequest } from './sent-request.ts'

function read(text: string | Uint8Array<ArrayBuffer>, readFile?: FileReader): SentRequest {
  const reading = readRequest(text, readFile)
  assert.ok(reading.ok, reading.ok ? '' : reading.problem)
  return reading.request
}

function problemOf(text: string): string {
  const reading = readRequest(text)
  assert.equal(reading.ok, false, text)
  return reading.ok ? '' : reading.problem
}

const bodyOf = (text: string, readFile?: FileReader) => textOf(read(text, readFile).body)
const url = 'https://h/v1/ep/webhook'

describe('a curl command is read as curl would', () => {
  const bodies: [what: string, command: string, body: string | null][] = [
    ['single quotes', `curl ${url} -d '{"a":"$HOME \\n"}'`, '{"a":"$HOME \\n"}'],
    ['a quote in single quotes', `curl ${url} -d 'it'\\''s'`, "it's"],
    ['double quotes', `curl ${url} -d "{\\"a\\":1}\\\\ \\$5"`, '{"a":1}\\ $5'],
    [
      'the quotes that browsers copy',
      `curl ${url} --data-raw $'it\\'s \\u00e0\\n\\x41\\101\\t'`,
      "it's à\nAA\t",
    ],
    ['several lines', `curl ${url} \\\n  -d 'a' \\\r\n  -H 'X: y'`, 'a'],
    ['data in parts', `curl ${url} -d a=1 --data b=2`, 'a=1&b=2'],
    ['attached values', `curl -XPOST --url=${url} -dx`, 'x'],
    ['joined short options', `curl -sSid x -o /dev/null ${url}`, 'x'],
    ['text encoded by curl', `curl ${url} --data-urlencode 'a=b c'`, 'a=b%20c'],
    ['data that begins with @', `curl ${url} --data-raw @x`, '@x'],
    ['a backslash outside quotes', `curl ${url} -d a\\ b`, 'a b'],
    ['what follows the command', `$ curl ${url} -d x | jq . > y`, 'x'],
    ['--json', `curl --json '{}' ${url} https://elsewhere/x`, '{}'],
  ]
  for (const [what, command, body] of bodies) {
    test(`(${what})`, () => {
      const request = read(command)
      assert.deepEqual(
        [request.endpoint, request.target, textOf(request.body)],
        ['award', '/v1/ep/webhook', body],
      )
      assert.deepEqual(request.notes, [])
    })
  }

  test('its headers, each occurrence by itself', () => {
    const { apiKey, timestamp, signature } = read(
      `curl ${url} -H 'x-api-key:  k ' -H "X-Timestamp: 1" --header 'X-TIMESTAMP: 2' -H 'X-Signature;' -d ''`,
    )
    assert.deepEqual([apiKey, timestamp, signature], [['k'], ['1', '2'], ['']])
  })

  test('its target: with a query, without a path, with -G', () => {
    const targets = [
      'curl "h/v1/ep/webhook/awards?tenantId=a%20b&limit=2#x"',
      'curl h',
      'curl -G -d tenantId=t1 h/p',
    ]
    assert.deepEqual(
      targets.map((command) => read(command).target),
      ['/v1/ep/webhook/awards?tenantId=a%20b&limit=2', '/', '/p?tenantId=t1'],
    )
    assert.equal(read(`curl -sG -d x=1 'h/v1/ep/webhook/awards?tenantId=t1'`).body.length, 0)
  })

  test('a body in a file, with the newlines that -d drops', () => {
    const files: FileReader = (path) => (path === 'award.json' ? utf8('{\r\n}\n') : null)
    assert.equal(bodyOf(`curl ${url} --data-binary @award.json`, files), '{\r\n}\n')
    const dropped = read(`curl ${url} -d @award.json`, files)
    assert.equal(textOf(dropped.body), '{}')
    assert.match(dropped.notes.join(), /removes the newlines/)
    const missing = readRequest(`curl ${url} -d @other.json`, files)
    assert.match(missing.ok ? '' : missing.problem, /the body is in the file other\.json/)
    assert.match(problemOf(`curl ${url} -d @award.json`), /not opened automatically: replace @award\.json/)
  })

  test('a text with very many of anything', () => {
    const many = (text: string) => text.repeat(150_000)
    const head = `curl ${url}`
    for (const text of [
      `${head} -d "${many('$A')}"`,
      `${head} -d "${many('$(a)')}"`,
      `curl "${url}?${many('$A')}" -d x`,
      `echo "${many('$(curl $B)')}" | ${head} -d @-`,
    ])
      assert.match(problemOf(text), /\$/)
    assert.equal(bodyOf(`${head}${many(' -d a')}`), many('a&').slice(0, -1))
    assert.equal(bodyOf(`echo -n${many(' a')} | ${head} -d @-`), many(' a').slice(1))
  })

  test('what only a shell can expand, or what cannot be read, is reported', () => {
    const problems: [string, RegExp][] = [
      [`curl ${url} -H "X-Signature: $SIGNATURE"`, /^\$SIGNATURE is a shell expansion/],
      [`curl ${url} -H X-Api-Key:\${API_KEY}`, /^\$\{API_KEY\} is a shell expansion/],
      [`curl ${url} -d "$(cat award.json)"`, /^\$\(cat award\.json\) is a shell expansion/],
      [`curl ${url} -d '{"a":1}`, /an unclosed '/],
      [`curl ${url} -d $'\\UFFFFFFFF'`, /^\\UFFFFFFFF is not a Unicode character/],
      [`curl ${url} -d $'a\\ud800'`, /^\\ud800 is not a Unicode character/],
      ['curl -s', /no URL/],
      ['curl -X DELETE h', /DELETE is neither an award/],
    ]
    for (const [command, expected] of problems) assert.match(problemOf(command), expected)
  })
})

describe('raw HTTP is read byte for byte', () => {
  const head = 'POST /v1/ep/webhook HTTP/1.1\r\nHost: h\r\nX-Api-Key: k\r\n'

  test('with CRLF or LF in its head, behind empty lines, without a version, with an absolute target', () => {
    for (const text of [
      `${head}\r\n{}`,
      `\n\r\n${head.replaceAll('\r', '')}\n{}`,
      `${head.replace(' HTTP/1.1', '')}\r\n{}`,
      `${head.replace('/v1', 'https://h/v1')}\r\n{}`,
    ]) {
      const { target, apiKey, body } = read(text)
      assert.deepEqual([target, apiKey, textOf(body)], ['/v1/ep/webhook', ['k'], '{}'], text)
    }
  })

  test('with bytes that are not UTF-8, in body and head', () => {
    const bytes = Uint8Array.from([...utf8(`${head}X: `), 0xe9, ...utf8('\r\n\r\n'), 0xff, 0x00])
    assert.deepEqual([...read(bytes).body], [0xff, 0])
  })

  test('with the length that Content-Length declares', () => {
    const sized = (length: number, body: string) => read(`${head}Content-Length: ${length}\n\n${body}`)
    assert.equal(textOf(sized(2, '{}\n').body), '{}', 'pasting adds a newline')
    assert.equal(textOf(sized(3, '{}\n').body), '{}\n')
    const crlf = sized(6, '{\n}\n')
    assert.deepEqual([textOf(crlf.body), crlf.notes.length], ['{\r\n}\r\n', 1])
    const other = sized(9, '{}')
    assert.equal(textOf(other.body), '{}')
    assert.match(other.notes.join(), /is 9, but the body here has 2 bytes/)
  })

  test('from the lines that curl -v shows', () => {
    const { target, apiKey, endpoint } = read(
      '* Connected\n> GET /v1/ep/webhook/awards?tenantId=t1 HTTP/1.1\n> X-Api-Key: k\n>\n< HTTP/1.1 401',
    )
    assert.deepEqual([endpoint, target, apiKey], ['history', '/v1/ep/webhook/awards?tenantId=t1', ['k']])
  })

  test('a path that is not ours is noted; what is no request is refused', () => {
    assert.match(read('POST /v1/ep/webhook/ HTTP/1.1').notes.join(), /its path is not \/v1\/ep\/webhook\./)
    assert.match(read('GET /x').notes.join(), /a history request because of GET/)
    for (const text of ['', 'hello', '{"a":1}', 'curlew'])
      assert.match(problemOf(text), /neither a curl command/)
    assert.match(problemOf(`${head}this is no header\n\n{}`), /not a header: this is no header/)
    assert.match(problemOf('PUT /v1/ep/webhook HTTP/1.1'), /PUT is neither/)
  })
})
