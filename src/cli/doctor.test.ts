import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { complaintOf, documentOf, runCommand, textOf } from '../../test/support/command-line.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import {
  asCurl,
  asHttp,
  rightRequests,
  signingSecret,
  someWrongRequests,
  type WrongRequest,
  wrongRequests,
} from '../../test/support/signing-mistakes.ts'
import { type MistakeId, mistakes } from '../doctor/mistakes.ts'
import { doctorReport } from '../terminal/doctor-report.ts'
import { examine } from './doctor.ts'

const environment = { SIGNING_SECRET: signingSecret }
const [right] = rightRequests as [WrongRequest]
const noDot = wrongRequests.find(({ name }) => name === 'no dot') as WrongRequest

describe('doctor', { concurrency: 3 }, () => {
  const folder = temporaryFolder({ after })
  writeFileSync(
    join(folder, 'secret.txt'),
    `${signingSecret}
`,
  )

  for (const [index, wrong] of someWrongRequests.entries()) {
    test(`tells the mistake at the terminal: ${wrong.method}, ${wrong.name}`, async () => {
      const file = join(folder, `request-${index}.txt`)
      writeFileSync(file, index % 2 === 0 ? asHttp(wrong) : asCurl(wrong))
      const report = doctorReport(await examine(file, { secretFile: join(folder, 'secret.txt') }))
      const named = [...report.matchAll(/^ {2}(.+) \[([a-z0-9-]+)\]$/gm)]
      assert.deepEqual(new Set(named.map(([, , id]) => id)), new Set(wrong.mistakes))
      for (const id of wrong.mistakes)
        assert.ok(report.includes(mistakes[id].title) && report.includes(mistakes[id].fix))
    })
  }

  test('the report has the title and the fix of every mistake', () => {
    const found = Object.entries(mistakes).map(([id, mistake]) => ({
      ...mistake,
      id: id as MistakeId,
      about: null,
    }))
    const report = doctorReport({
      isRight: false,
      mistakes: found,
      notes: [],
      signingString: null,
      payloadStart: 0,
      expected: null,
      given: '',
      signed: null,
      body: { bytes: 0, sha256: '' },
    })
    for (const { id, title, fix } of found) assert.ok(report.includes(`  ${title} [${id}]\n    ${fix}\n`), id)
  })

  test('a right signature ends with 0, a wrong one with 1, and both show what is signed', async (t) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'right.http'), asHttp(right))
    const [good, bad] = await Promise.all([
      runCommand(['doctor', 'right.http'], { cwd, environment }),
      runCommand(['doctor'], { cwd, environment, input: asCurl(noDot) }),
    ])
    assert.match(textOf(good), /^The signature is correct\.\n/)
    assert.match(good.stdout, /^ {6}0 {2}31 37 36 33 .* 2e 7b 22 {2}1763182800123\.\{"$/m)
    assert.match(good.stdout, /63 c3 a0 20 .* {2}.*cà· /, 'each byte has one column')
    assert.deepEqual([bad.code, bad.stderr], [1, ''])
    assert.match(bad.stdout, /The dot between timestamp and payload is missing \[dot-missing\]/)
    assert.match(bad.stdout, /What you signed, \d+ bytes, first difference at byte 13:/)
    assert.doesNotMatch(good.stdout + bad.stdout, new RegExp(signingSecret))
    assert.equal(existsSync(join(cwd, 'data')), false, 'it works offline: no database is made')
  })

  test('--json prints one document, and --answer tells whether the body changed in transit', async (t) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'answer.json'), JSON.stringify({ bodyBytes: 2, bodySha256: '0'.repeat(64) }))
    writeFileSync(join(cwd, 'award.json'), right.body)
    const curl = asCurl(right).replace(/--data-binary .*$/s, '--data-binary @award.json')
    const flags = ['--secret-file', 'secret.txt', '--body-file', 'award.json', '--json']
    writeFileSync(join(cwd, 'secret.txt'), signingSecret)
    const [plain, changed] = await Promise.all([
      runCommand(['doctor', ...flags], { cwd, input: curl }),
      runCommand(['doctor', '-', '--answer', 'answer.json', ...flags], { cwd, input: curl }),
    ])
    const document = documentOf(plain)
    assert.deepEqual([document.isRight, document.mistakes], [true, []])
    assert.equal(document.signingString.text, `1763182800123.${right.body}`)
    assert.equal(changed.code, 1)
    assert.equal(JSON.parse(changed.stdout).mistakes[0].id, 'body-changed-in-transit')
  })

  test('a file that the request names is not opened: it may be the master key', async (t) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'master.key'), 'not for anybody')
    const curl = asCurl(right).replace(/--data-binary .*$/s, '--data-binary @master.key')
    const result = await runCommand(['doctor'], { cwd, environment, input: curl })
    assert.match(complaintOf(result, 2), /in the file master\.key, which is not opened automatically/)
    assert.doesNotMatch(result.stdout + result.stderr, /not for anybody/)
  })

  test('what cannot be examined is a wrong command, exit code 2', async (t) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'right.http'), asHttp(right))
    const results = await Promise.all([
      runCommand(['doctor', 'missing.http'], { cwd, environment }),
      runCommand(['doctor'], { cwd, environment, input: 'hello' }),
      runCommand(['doctor', 'right.http', '--secret', signingSecret], { cwd }),
      runCommand(['doctor'], { cwd, environment, input: `curl h -d "$BODY"` }),
    ])
    const complaints = results.map((result) => complaintOf(result, 2))
    const expected = [
      /missing\.http/,
      /neither a curl command nor an HTTP request/,
      /unknown option/,
      /\$BODY is a shell expansion/,
    ]
    for (const [index, pattern] of expected.entries()) assert.match(complaints[index]!, pattern)
  })

  test('a request that comes slowly through a pipe is waited for', async (t) => {
    const cwd = temporaryFolder(t)
    const input = 'hello '.repeat(1_000_000) // more than a pipe holds: it is read before all of it is there
    const result = await runCommand(['doctor'], { cwd, environment, input })
    assert.match(complaintOf(result, 2), /neither a curl command nor an HTTP request/)
  })

  test('the secret is asked for at the terminal and not shown', async (t) => {
    if (!existsSync('/usr/bin/script')) return t.skip('needs script, of util-linux, to have a terminal')
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'right.http'), asHttp(right))
    const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))
    const command = `${process.execPath} ${launcher} doctor right.http`
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH },
    })
    let seen = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const isAsked = seen.includes('Signing secret: ')
      seen += text
      if (!isAsked && seen.includes('Signing secret: ')) child.stdin.write(`${signingSecret}x\x7f\r`)
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    assert.equal(code, 0, seen)
    assert.match(seen, /The signature is correct/)
    assert.doesNotMatch(seen, new RegExp(signingSecret))
  })
})
