import { doesNotMatch, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommand } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/service.ts'

const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname

test('the first start says how to create a partner and an account, and the docs show what it prints', async (t) => {
  const { printed, logged } = await startFor(t, aLedger(t))
  match(printed, /partner create --id acme/)
  match(printed, /operator create NAME --role admin --database-url sqlite:/)
  const [, secret] = /^ {2}http:\/\/127\.0\.0\.1:\d+\/sign-in#first=([0-9]+\.[\w-]{43})$/m.exec(printed)!
  doesNotMatch(logged, new RegExp(secret!), 'the link for the first account is never in the log')
  const page = readFileSync('docs/operator/running.md', 'utf8')
  const [, shown] = /```text\n(\nPartner Credit is serving\.\n.*?)…\n```/s.exec(page)!
  const asShown = printed
    .replace(/(?<=partners +|docs +)http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:8080')
    .replace(/(?<=operators +)http:\/\/127\.0\.0\.1:\d+/, 'http://127.0.0.1:8081')
  equal(asShown.slice(0, shown!.length), shown)
})

test('a start on a ledger with partners and an account asks for neither, and says what to do when a secret is lost', async (t) => {
  const environment = aLedger(t)
  const create = ['partner', 'create', '--id', 'globex', '--name', 'Globex', '--tenant', 't1']
  equal((await runCommand(create, { cwd: '.', environment })).code, 0)
  const account = ['operator', 'create', 'mai', '--role', 'admin']
  equal((await runCommand(account, { cwd: '.', environment })).code, 0)
  const { printed } = await startFor(t, environment)
  doesNotMatch(printed, /partner create|operator create|first=/)
  match(printed, /secret[\s\S]*node bin\/partner-credit\.js key create globex --database-url sqlite:/)
})

function aLedger(t: TestContext) {
  return { DATABASE_URL: `sqlite:${join(temporaryFolder(t), 'ledger.db')}` }
}

/** What it prints for people, up to the last line. */
async function startFor(
  t: TestContext,
  environment: Record<string, string>,
): Promise<{ printed: string; logged: string }> {
  const env = { ...process.env, ...environment, PORT: '0', OPERATOR_PORT: '0' }
  const server = spawn(process.execPath, [launcher, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => void server.kill('SIGKILL'))
  let printed = ''
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  let logged = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    logged += text
  })
  await eventually('it has printed all', () => printed.includes('Press Ctrl-C'), { withinMs: 30_000 })
  await eventually('it has logged its start', () => logged.includes('"serving"'), { withinMs: 30_000 })
  return { printed, logged }
}
