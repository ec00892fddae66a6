import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { textOf } from './bytes.ts'
import { readRequest } from './read-request.ts'
import type { SentRequest } from './sent-request.ts'

function read(text: string): SentRequest {
  const reading = readRequest(text)
  assert.ok(reading.ok, reading.ok ? '' : reading.problem)
  return reading.request
}

function problemOf(text: string): string {
  const reading = readRequest(text)
  assert.equal(reading.ok, false, text)
  return reading.ok ? '' : reading.problem
}

const url = 'https://h/v1/ep/webhook'
const sent = (data: string) =>
  `curl -s "${url}" -H "X-Api-Key: $API_KEY" -H "X-Timestamp: \${TIMESTAMP}" -H "X-Signature: $SIGNATURE" ${data}`
const values = 'API_KEY=pck_1\nexport TIMESTAMP=\'1763182800123\' SIGNATURE="abc"\n'
const json = '{"orderId":"it\'s 1"}'

describe('a pasted shell snippet is read with the variables that it sets', () => {
  const snippets: [what: string, text: string, body: string][] = [
    ['BODY=…', `${values}BODY='{"a":1}'\n${sent('--data-binary "$BODY"')}`, '{"a":1}'],
    ['a prompt, a comment and ;', `# first\n$ ${values}BODY='{}'; ${sent(`-d "\${BODY}"`)}`, '{}'],
    ['text around it', `${values}AMOUNT=5000\n${sent(`-d '{"amount":'"$AMOUNT"'}'`)}`, '{"amount":5000}'],
    ['double quotes', `${values}A=5\n${sent('-d "{\\"amount\\":$A}"')}`, '{"amount":5}'],
    ['a variable of variables', `${values}A=5\nBODY="{\\"a\\":$A}"\n${sent('-d "$BODY"')}`, '{"a":5}'],
    ['several lines', `${values}BODY='{\n  "a": 1\n}'\n${sent('--data-binary "$BODY"')}`, '{\n  "a": 1\n}'],
    [
      'a here-document in a variable',
      `${values}BODY=$(cat <<'EOF'\n${json}\nEOF\n)\n${sent('-d "$BODY"')}`,
      json,
    ],
    [
      'read and a here-document',
      `${values}read -r -d '' BODY <<EOF\n${json}\nEOF\n${sent('-d "$BODY"')}`,
      json,
    ],
    ['a here-document', `${values}${sent("--data-binary @- <<'EOF'")} | jq .\n${json}\nEOF\n`, `${json}\n`],
    [
      'a here-document with variables',
      `${values}A=5\n${sent('--data-binary @- <<EOF')}\n{"a":$A,"b":"\\$A"}\nEOF`,
      '{"a":5,"b":"$A"}\n',
    ],
    ['a here-string', `${values}${sent(`--data-binary @- <<< '${'{}'}'`)}`, '{}\n'],
    ['echo', `${values}echo '{}' | ${sent('--data-binary @-')}`, '{}\n'],
    ['echo -n', `${values}BODY='{}'\necho -n "$BODY" | ${sent('--data-binary @-')}`, '{}'],
    ['printf', `${values}BODY='{}'\nprintf '%s' "$BODY" | ${sent('--data-binary @-')}`, '{}'],
    ['a function', `${values}award() {\n  ${sent("-d '{}'")}\n}\naward`, '{}'],
    ['the response kept', `${values}RESPONSE=$(${sent("-d '{}'")} 2>/dev/null)\necho "$RESPONSE"`, '{}'],
    ['set -e and a test', `#!/bin/bash\nset -e\n${values}if ${sent("-d '{}'")}; then echo ok; fi`, '{}'],
    ['a variable elsewhere', `${values}${sent(`-d '{}' -o "$OUT" -H "X-Request-Id: $(uuidgen)"`)}`, '{}'],
    [
      'a host that is not known',
      `${values}${sent("-d '{}'").replace('https://h', `\${BASE_URL:-http://localhost:80}`)}`,
      '{}',
    ],
    [
      'PowerShell',
      `$body = '{}'\n$env:API_KEY = "pck_1"\n$TIMESTAMP = "1763182800123"\n$SIGNATURE='abc'\n` +
        `curl.exe "${url}" \`\n -H "X-Api-Key: $env:API_KEY" -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: $SIGNATURE" \`\r\n -d $body`,
      '{}',
    ],
    [
      'cmd.exe, as browsers copy it',
      `curl ^"${url}^" ^\r\n -H ^"X-Api-Key: pck_1^" ^\r\n -H ^"X-Timestamp: 1763182800123^" -H ^"X-Signature: abc^" ^\r\n --data-raw ^"^{^\\^"a^\\^":1^}^"`,
      '{"a":1}',
    ],
  ]
  for (const [what, text, body] of snippets) {
    test(`(${what})`, () => {
      const request = read(text)
      assert.deepEqual(
        [request.endpoint, request.target, textOf(request.body)],
        ['award', '/v1/ep/webhook', body],
      )
      assert.deepEqual(
        [request.apiKey, request.timestamp, request.signature],
        [['pck_1'], ['1763182800123'], ['abc']],
      )
      assert.deepEqual(request.notes, [])
    })
  }

  test('what is appended to a variable is part of it; after a change that is not read, its value is unknown', () => {
    assert.equal(textOf(read(`B='{'\nexport B+='}'\ncurl ${url} -d "$B"`).body), '{}')
    for (const change of ['unset B', 'printf -v B %s 2', 'for B in 2; do'])
      assert.match(problemOf(`B=1\n${change}\ncurl ${url} -d "$B"`), /^\$B is a shell expansion/, change)
    assert.match(problemOf(`B+=1\ncurl ${url} -d "$B"`), /^\$B is a shell expansion/)
  })

  test('in single quotes a variable is not replaced: the shell sent its name', () => {
    const { timestamp, body } = read(`TIMESTAMP=1\ncurl ${url} -H 'X-Timestamp: $TIMESTAMP' -d '$BODY'`)
    assert.deepEqual([timestamp, textOf(body)], [['$TIMESTAMP'], '$BODY'])
  })

  test('a variable with spaces and without double quotes is remarked on', () => {
    const { body, notes } = read(`BODY='{"a": 1}'\ncurl ${url} -d $BODY`)
    assert.equal(textOf(body), '{"a": 1}')
    assert.match(notes.join(), /\$BODY is not in double quotes.*write "\$BODY"/)
  })

  test('the output of curl -v below the command, or without it, does not matter', () => {
    const output = '> POST /v1/ep/webhook HTTP/1.1\n> X-Timestamp: 2\n>\n< HTTP/1.1 401'
    const command = `${values}${sent("-d '{}'")}`
    assert.equal(textOf(read(`${command}\n${output}`).body), '{}')
    assert.deepEqual(read(output).timestamp, ['2'])
  })

  test('of several curl commands, the first that is signed is taken, and that is said', () => {
    const { target, notes } = read(
      `curl h/readyz\n${values}${sent("-d '{}'")}\ncurl -H 'X-Signature: b' h/v1/ep/webhook/awards?tenantId=t1`,
    )
    assert.equal(target, '/v1/ep/webhook')
    assert.match(notes.join(), /several curl commands/)
  })
})

describe('a snippet whose values only a shell knows', () => {
  const script = `TIMESTAMP=$(date +%s)000
BODY='{"tenantId":"t1"}'
SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
${sent('--data-binary "$BODY"')}`

  test('the message says which variables to replace, and no others', () => {
    assert.match(
      problemOf(script),
      /^\$API_KEY, \$\{TIMESTAMP\} and \$SIGNATURE are shell expansions, and their values are unknown here: replace each with the value that was sent/,
    )
    assert.match(
      problemOf(`${values}${sent('-d "$BODY"')}`),
      /^\$BODY is a shell expansion.*: replace it with the value that was sent/,
    )
    assert.match(problemOf(`${values}${sent('-d "$(cat award.json)"')}`), /^\$\(cat award\.json\) is a shell/)
    assert.match(problemOf(`${values}${sent('-d "`cat x`"')}`), /^`cat x` is a shell expansion/)
    assert.match(problemOf('curl "$URL" -d x'), /^\$URL is a shell expansion/)
    assert.match(problemOf(`curl "h/v1/ep/webhook/awards?tenantId=$TENANT"`), /^\$TENANT is a shell/)
    assert.match(problemOf(`cat award.json | curl ${url} -d @-`), /standard input.*replace @- with/)
    assert.doesNotMatch(problemOf(`SIGNING_SECRET=pcs_x\n${script}`), /pcs_x/)
  })

  test('a default value that is too long to read, or has no end, is unknown, too: it is not taken for the text that was sent', () => {
    const note = 'x'.repeat(2_000)
    for (const rest of [`:-${note}}`, `-{\\"note\\":\\"${note}\\"}}`, ':-', '']) {
      const problem = problemOf(`${values}${sent(`--data-binary "\${BODY${rest}"`)}`)
      assert.match(problem, /^\$\{BODY… is a shell expansion/, rest.slice(0, 20))
    }
  })

  test('with the values of that moment in front of the command, it is read', () => {
    const moment = script.replace('$(date +%s)000', '1').replace(/^SIGNATURE=.*$/m, 'SIGNATURE=abc')
    const { timestamp, signature, body } = read(`API_KEY=pck_1\n${moment}`)
    assert.deepEqual([timestamp, signature, textOf(body)], [['1'], ['abc'], '{"tenantId":"t1"}'])
  })
})

describe('what can be seen in a script that computes its signature is said with it', () => {
  const sign = (time: string, command: string) =>
    `TIMESTAMP=${time}\nSIGNATURE=$(${command})\n${sent("-d '{}'")}`
  const text = '"$TIMESTAMP.$BODY"'
  const hmac = `openssl dgst -sha256 -hmac "$SIGNING_SECRET"`
  const right = `printf '%s' ${text} | ${hmac} | sed 's/^.* //'`
  const scripts: [what: string, script: string, hint: RegExp | null][] = [
    ['nothing', sign('$(date +%s)000', right), null],
    ['nothing: milliseconds by arithmetic', sign('$(($(date +%s) * 1000))', right), null],
    ['nothing: GNU milliseconds', sign('$(date +%s%3N)', right), null],
    ['seconds', sign('$(date +%s)', right), /date \+%s prints seconds/],
    ['echo', sign('$(date +%s)000', right.replace("printf '%s'", 'echo')), /echo adds a newline/],
    ['nothing: echo -n', sign('$(date +%s)000', right.replace("printf '%s'", 'echo -n')), null],
    ['no key', sign('$(date +%s)000', right.replace(/-hmac \S+/, '')), /without -hmac/],
    [
      'the prefix',
      sign('$(date +%s)000', right.replace(/ \| sed .*/, '')),
      /prints a name before the digits/,
    ],
    ['base64', sign('$(date +%s)000', `${text} | ${hmac} -binary | base64`), /in base64/],
  ]
  for (const [what, script, hint] of scripts) {
    test(`(${what})`, () => {
      if (hint === null) assert.doesNotMatch(problemOf(script), /In the script/)
      else assert.match(problemOf(script), new RegExp(`In the script, .*${hint.source}`))
    })
  }
})

test('a text that is made to be slow, or deep, is read or refused at once', () => {
  const texts = [
    '<<A\n'.repeat(16_000),
    '$('.repeat(20_000),
    '{'.repeat(64_000),
    '`'.repeat(20_001),
    `"'`.repeat(20_000),
    ...['a', '$a', '${a', '${a:-', '$a=', '/?', '``', '-H a ', '\n'].map((part) =>
      part.repeat(100_000 / part.length),
    ),
    `$(${'openssl dgst -hmac '.repeat(5_000)})`,
    `$(${'echo '.repeat(20_000)})`,
  ]
  for (const text of texts) assert.doesNotThrow(() => readRequest(`curl h -d ${text}`), text.slice(0, 4))
  for (const text of texts) assert.doesNotThrow(() => readRequest(text), text.slice(0, 4))
  for (const text of texts) assert.doesNotThrow(() => readRequest(`curl ${text}`), text.slice(0, 4))
})

test('variables that double each other are not put in without end: the message names those to replace', () => {
  const doubled = Array.from({ length: 40 }, (_, n) => `B${n + 1}=$B${n}$B${n}`)
  const script = ['B0=0123456789', ...doubled, 'curl h -H "X-Signature: 1" -d "$B40"'].join('\n')
  assert.match(problemOf(script), /\$B40/)
})

describe('a request of another tool: the message says how to give it', () => {
  const tools: [text: string, message: RegExp][] = [
    ['http POST h/v1/ep/webhook X-Api-Key:pck_1 amount:=5', /HTTPie.*--offline/],
    ['echo {} | https --raw x POST h/v1/ep/webhook', /HTTPie.*--offline/],
    ['wget --header "X-Timestamp: 1" --post-data {} h', /wget/],
    ['Invoke-RestMethod -Uri https://h/v1/ep/webhook -Method Post', /PowerShell.*Invoke-RestMethod/],
    ['$r = iwr https://h/v1/ep/webhook -Body $body', /PowerShell/],
    ['await fetch("https://h/v1/ep/webhook", { method: "POST" })', /source code/],
    ["import requests\nrequests.post('https://h/v1/ep/webhook', json=body)", /source code/],
    ['\ufeffimport json\nprint(body)', /source code/],
    ['{"tenantId":"t1"}', /only a body/],
  ]
  for (const [text, message] of tools) {
    test(text.slice(0, 24), () => assert.match(problemOf(text), message))
  }
})
