import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startLive } from '../../sdk/test/live-service.ts'
import { mistakes } from '../../src/doctor/mistakes.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import {
  asCurl,
  asHttp,
  rightRequests,
  signingSecret,
  someWrongRequests,
} from '../../test/support/signing-mistakes.ts'
import { environmentOf, runCommand } from './command-line.ts'

describe('sign', async () => {
  const live = await startLive({ after })
  const environment = environmentOf(live)
  const folder = temporaryFolder({ after })
  const body = '{"tenantId":"t1","orderId":"it\'s 1","userEmail":"ann@example.com","amount":5000}'
  const file = join(folder, 'award.json')
  writeFileSync(file, body)

  const ways: [string, string[], string][] = [
    ['text', ['--data', body], ''],
    ['a file', ['--body', file], ''],
    ['standard input', ['--body', '-'], body],
    ['a tenant, for the history', ['--tenant', 't1'], ''],
  ]
  for (const [what, args, stdin] of ways) {
    test(`of ${what}: the service accepts the curl command that it prints`, async () => {
      const { code, stdout, stderr } = await runCommand(['sign', ...args, '--json'], { environment, stdin })
      deepEqual([code, stderr], [0, ''])
      const { headers, curl } = JSON.parse(stdout)
      deepEqual(Object.keys(headers), ['X-Api-Key', 'X-Timestamp', 'X-Signature'])
      const given = execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${curl}`], {
        encoding: 'utf8',
      }).split('\0')
      const [, url = ''] = given
      const data = given[given.indexOf('--data-binary') + 1]!
      const isAward = args[0] !== '--tenant'
      const response = await fetch(url, {
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(isAward ? { method: 'POST', body: data.startsWith('@') ? body : data } : {}),
      })
      ok([200, 202].includes(response.status), await response.text())
    })
  }

  test('for people: three headers, a blank line and the curl command; --timestamp signs for another time', async () => {
    const args = ['sign', '--tenant', 't1', '--timestamp', '1700000000000']
    const { stdout } = await runCommand(args, { environment })
    match(stdout, /^X-Api-Key: pck_.*\nX-Timestamp: 1700000000000\nX-Signature: [0-9a-f]{64}\n\ncurl -i /)
    doesNotMatch(stdout, /pcs_/)
  })

  const wrong: [string, string[], RegExp][] = [
    ['nothing to sign', [], /exactly one of --data, --body and --tenant/],
    ['two things to sign', ['--data', '{}', '--tenant', 't1'], /exactly one of/],
    ['a file that is not there', ['--body', join(folder, 'nowhere')], /ENOENT/],
    ['a time that is none', ['--tenant', 't1', '--timestamp', '2025-11-15'], /milliseconds since 1970/],
    ['the secret as an option', ['--tenant', 't1', '--signing-secret', 'pcs_x'], /can read arguments/],
  ]
  for (const [what, args, reason] of wrong) {
    test(`${what}: exit code 2 and the reason`, async () => {
      const { code, stdout, stderr } = await runCommand(['sign', ...args], { environment })
      match(stderr, reason)
      deepEqual([code, stdout], [2, ''])
    })
  }

  test('without settings: all that is missing, by name', async () => {
    const { code, stderr } = await runCommand(['sign', '--tenant', 't1'])
    equal(code, 2)
    match(stderr, /API_KEY is missing(.|\n)*SIGNING_SECRET is missing/)
  })
})

describe('doctor', () => {
  const folder = temporaryFolder({ after })
  const environment = { SIGNING_SECRET: signingSecret }
  const [right] = rightRequests
  const examine = (request: string, ...options: string[]) =>
    runCommand(['doctor', ...options], { environment, stdin: request })

  for (const wrong of someWrongRequests) {
    test(`names the mistake: ${wrong.method}, ${wrong.name}`, async () => {
      const { code, stdout } = await examine(asCurl(wrong))
      equal(code, 1)
      for (const id of wrong.mistakes)
        ok(stdout.includes(`${mistakes[id].title}`) && stdout.includes(`[${id}]`), stdout)
    })
  }

  test('a correct signature: exit code 0; from a file, and as JSON', async () => {
    const file = join(folder, 'right.http')
    writeFileSync(file, asHttp(right!))
    const { code, stdout } = await examine('', file)
    equal(code, 0, stdout)
    match(stdout, /^The signature is correct\.\n/)
    const document = JSON.parse((await examine(asHttp(right!), '--json')).stdout)
    deepEqual([document.isRight, document.mistakes], [true, []])
    doesNotMatch(stdout + JSON.stringify(document), new RegExp(signingSecret))
  })

  test('a file that the request names is opened only if --body-file names it, too', async () => {
    const file = join(folder, 'award.json')
    writeFileSync(file, right!.body)
    const curl = asCurl(right!).replace(/--data-binary .*$/s, `--data-binary @${file}`)
    const unasked = await examine(curl)
    equal(unasked.code, 2)
    match(unasked.stderr, /--body-file/)
    equal((await examine(curl, '--body-file', file)).code, 0)
  })

  test('the secret: from a settings file without the other settings, or asked for and not shown', async () => {
    const settings = join(folder, 'settings')
    writeFileSync(settings, `SIGNING_SECRET=${signingSecret}\n`, { mode: 0o600 })
    const fromFile = await runCommand(['doctor', '--settings', settings], { stdin: asHttp(right!) })
    equal(fromFile.code, 0, fromFile.stderr)
    const asked = await runCommand(['doctor'], { stdin: asHttp(right!), secret: signingSecret })
    equal(asked.code, 0, asked.stderr)
    doesNotMatch(asked.stdout + asked.stderr, new RegExp(signingSecret))
    const nobody = await runCommand(['doctor'], { stdin: asHttp(right!) })
    equal(nobody.code, 2)
    match(nobody.stderr, /the signing secret is missing: set SIGNING_SECRET/)
  })

  test('what cannot be examined: exit code 2 and the reason', async () => {
    for (const [request, reason] of [
      ['hello', /neither a curl command nor an HTTP request/],
      ['', /neither a curl command nor an HTTP request/],
    ] as const) {
      const { code, stderr } = await examine(request)
      equal(code, 2)
      match(stderr, reason)
    }
    const { code, stderr } = await examine('', join(folder, 'nowhere'))
    equal(code, 2)
    match(stderr, /ENOENT/)
  })
})
