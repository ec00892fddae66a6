import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, complaintOf, runCommand } from '../../test/support/command-line.ts'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/service.ts'

const required = { REQUIRE_REASON: '1' }

test('where REQUIRE_REASON=1 is set, a change without a reason is refused, and one with a reason is made', async (t) => {
  const { cwd, partners, json } = await aFolder(t)
  const changes = [
    ['partner', 'suspend', 'acme'],
    ['partner', 'caps', 'acme', '--per-tx', '5', '--json'],
    ['tenant', 'caps', 't1', '--per-user-day', '5'],
    ['defaults', 'caps', '--per-tx', '5'],
    ['key', 'create', 'acme'],
  ]
  const before = (await json('audit')).changes.length
  for (const result of await Promise.all(
    changes.map((args) => runCommand(args, { cwd, environment: required })),
  ))
    assert.match(
      complaintOf(result, 2),
      /a reason is required, because REQUIRE_REASON=1 is set: add --reason/,
    )
  assert.equal((await json('audit')).changes.length, before)

  const suspend = ['partner', 'suspend', 'acme', '--reason', 'ticket 7']
  assert.equal((await runCommand(suspend, { cwd, environment: required })).code, 0)
  assert.equal((await partners())[0]!.status, 'suspended')
  assert.equal((await json('audit')).changes[0].reason, 'ticket 7')
  assert.equal((await runCommand(['partner', 'list'], { cwd, environment: required })).code, 0, 'no change')
})

test('a reason that is required and missing does not even create a ledger', async (t) => {
  const cwd = temporaryFolder(t)
  const create = ['partner', 'create', '--id', 'acme', '--name', 'Acme', '--tenant', 't1']
  complaintOf(await runCommand(create, { cwd, environment: required }), 2)
  assert.equal(existsSync(join(cwd, 'data')), false)
})

test('REQUIRE_REASON is 1 or 0, and a command in a script is never asked', async (t) => {
  const { run, cwd } = await aFolder(t)
  const args = ['partner', 'suspend', 'acme']
  const wrong = await runCommand(args, { cwd, environment: { REQUIRE_REASON: 'yes' } })
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /REQUIRE_REASON must be 1 or 0, not "yes"/)
  assert.equal((await runCommand(args, { cwd, environment: { REQUIRE_REASON: '0' } })).code, 0)
  assert.equal((await run('partner', 'resume', 'acme')).code, 0)
})

const question = /Reason for the audit trail \(([^)]+)\): /

test('on a terminal the reason is asked for: a text, none, or Ctrl-C, which changes nothing', async (t) => {
  if (spawnSync('script', ['--version']).status !== 0) return t.diagnostic('not run: it needs "script"')
  const { cwd, partners, json } = await aFolder(t)
  const reasonOfLast = async () => (await json('audit')).changes[0].reason

  const typed = await atTerminal(t, cwd, 'partner suspend acme', 'ticket 8\r')
  assert.deepEqual([typed.code, typed.hint], [0, 'Enter for none'])
  assert.equal(await reasonOfLast(), 'ticket 8')

  assert.equal((await atTerminal(t, cwd, 'partner resume acme', '\r')).code, 0)
  assert.equal(await reasonOfLast(), null)

  const canceled = await atTerminal(t, cwd, 'partner suspend acme', '\u0003')
  assert.equal(canceled.code, 2)
  assert.match(canceled.printed, /canceled: nothing was changed/)
  assert.equal((await partners())[0]!.status, 'active')

  const demanded = await atTerminal(t, cwd, 'partner suspend acme', '\r', required)
  assert.deepEqual([demanded.code, demanded.hint], [2, 'required'])
  assert.equal((await partners())[0]!.status, 'active')
})

const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))

/** The Linux command "script" gives the command a terminal, in which the byte 3 is Ctrl-C. */
async function atTerminal(
  t: TestContext,
  cwd: string,
  args: string,
  answer: string,
  environment: Record<string, string> = {},
): Promise<{ code: number; hint: string; printed: string }> {
  const command = `exec '${process.execPath}' '${launcher}' ${args}`
  const options = ['--quiet', '--return', '--flush', '--command', command, '/dev/null']
  const env = { PATH: process.env.PATH, SHELL: '/bin/sh', ...environment }
  const child = spawn('script', options, { cwd, env })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  const closed = once(child, 'close')
  await eventually('it asks for the reason', () => question.test(printed), { withinMs: 60_000 })
  child.stdin.write(answer)
  const [code] = await closed
  return { code, hint: question.exec(printed)![1]!, printed }
}
