import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'

const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname
const slow = { withinMs: 30_000 }

test('the demo prints an account of the console first, then a signed award and a signed history that work as pasted, and keeps traffic flowing', async (t) => {
  const demo = startDemo(t, process.execPath, [launcher, 'demo'])
  await eventually('an award of its own traffic', () => /202 {2}demo-\d+/.test(demo.printed()), slow)

  const [, consoleUrl, name, password] = /operator console: (\S+)\n +name +(\S+)\n +password +(\S+)\n/.exec(
    demo.printed(),
  )!
  assert.ok(demo.printed().indexOf(consoleUrl!) < demo.printed().indexOf('/docs'), 'the console comes first')
  const signIn = await fetch(`${consoleUrl}/operator/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(consoleUrl!).origin },
    body: JSON.stringify({ name, password }),
  })
  assert.equal(signIn.status, 200, await signIn.text())

  const [award, history] = [...demo.printed().matchAll(/^curl -i (?:.*\\\n)*.*$/gm)].map(
    ([command]) => command,
  )
  assert.match(await paste(award!), /^HTTP\/1\.1 202 /)
  assert.match(await paste(award!), /"code":"DUPLICATE"/)
  assert.match(await paste(history!), /"userEmail":"you@example\.com","points":12/)
  const tryIt = demo
    .printed()
    .match(/^export (API_KEY|SIGNING_SECRET|TENANT_ID|BASE_URL)=\S+$/gm)!
    .join('\n')
  assert.match(
    await paste(`${tryIt}\n${awardInTenant}`),
    /^EP-Sandbox: true\r$/im,
    'as "Try it" of the docs does',
  )
  const [docs] = /http:\/\/\S+\/docs\b/.exec(demo.printed())!
  assert.equal((await fetch(docs)).status, 200)

  demo.child.kill('SIGINT')
  assert.deepEqual(await demo.ended, [0, null])
  assert.match(demo.printed(), verdict)
  assert.doesNotMatch(demo.printed(), /\u001b/, 'plain lines where there is no terminal')
})

test('on a terminal the demo rewrites one line, so that its instructions stay visible, until Ctrl-C', async (t) => {
  // The Linux command "script" gives it a terminal, in which the byte 3 is Ctrl-C. Without "exec", a shell would wait in between
  // and end with its own exit code.
  const command = `exec '${process.execPath}' '${launcher}' demo`
  if (spawnSync('script', ['--version']).status !== 0) return t.diagnostic('not run: it needs "script"')
  const demo = startDemo(t, 'script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'])
  await eventually('some awards of its own traffic', () => /Last: \S+ demo-3\b/.test(demo.printed()), slow)
  const [, traffic] = demo.printed().split(/Press Ctrl-C[^\n]*\n\r?\n/)
  assert.doesNotMatch(traffic!, /\n/, 'nothing scrolls')

  demo.child.stdin.write('\u0003')
  assert.deepEqual(await demo.ended, [0, null])
  const lines = demo.printed().replaceAll('\r\n', '\n').split('\n')
  assert.match(lines.map(asSeen).join('\n'), verdict)
})

/** What the form of the docs' pages sends. */
const awardInTenant = `
  TIMESTAMP=$(date +%s)000
  BODY='{"tenantId":"t1-test","orderId":"try-1","userEmail":"ann@example.com","amount":5000}'
  test "$TENANT_ID" = t1-test
  SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
  curl -is "$BASE_URL/v1/ep/webhook" -H 'Content-Type: application/json' -H "X-Api-Key: $API_KEY" \\
    -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: $SIGNATURE" --data-binary "$BODY"`

const verdict =
  /\nDemo traffic: \d+ awards? credited \(\d+ EP\), \d+ duplicates?, \d+ refused\nsound: \d+ entries in 5 accounts, .*\n$/

/** What is left of a line that was erased and rewritten. */
function asSeen(line: string): string {
  return line.split('\r\u001b[K').at(-1)!
}

function startDemo(t: TestContext, program: string, args: string[]) {
  const env = { ...process.env, PORT: '0', OPERATOR_PORT: '0', TERM: 'xterm' }
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return { child, printed: () => text, ended: once(child, 'close') }
}

async function paste(command: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', command])).stdout
}
