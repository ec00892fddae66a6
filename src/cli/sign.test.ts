import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { complaintOf, documentOf, runCommand, textOf } from '../../test/support/command-line.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { sign } from '../access/signature.ts'

describe('sign', { concurrency: 3 }, () => {
  const secret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
  const environment = { API_KEY: 'pck_1', SIGNING_SECRET: secret }
  const body = '{"tenantId":"t1","orderId":"A1","userEmail":"lan@example.vn","amount":5000}'
  // Made with OpenSSL: see src/access/signature.test.ts.
  const headers = {
    'X-Api-Key': 'pck_1',
    'X-Timestamp': '1700000000000',
    'X-Signature': '7bcab844a1fa8cc3bb5037aa86b450cdde5b0362a7118fba654654981dcfa495',
  }
  const historySignature = 'c936efd7766c8bfbdd9a5a24b3483799c1065352b984032010ee7fe8db360636'
  const at = ['--timestamp', '1700000000000']

  test('prints the headers that OpenSSL would make, of text, of a file and of standard input', async (t) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, 'award.json'), body)
    const keys = ['--api-key', 'pck_1', '--signing-secret', secret]
    const [data, file, input] = await Promise.all([
      runCommand(['sign', '--data', body, ...at, ...keys, '--json'], { cwd }),
      runCommand(['sign', '--body', 'award.json', ...at, '--json'], { cwd, environment }),
      runCommand(['sign', '--body', '-', ...at, '--json'], { cwd, environment, input: body }),
    ])
    for (const result of [data, file, input]) assert.deepEqual(documentOf(result).headers, headers)
    assert.match(documentOf(file).curl, /--data-binary '@award.json'$/)
    assert.ok(documentOf(data).curl.endsWith(`--data-binary '${body}'`))
    assert.equal(existsSync(join(cwd, 'data')), false, 'it works offline: no database is made')
  })

  test('signs a history request', async (t) => {
    const cwd = temporaryFolder(t)
    const document = documentOf(
      await runCommand(['sign', '--tenant', 't1', ...at, '--json'], { cwd, environment }),
    )
    assert.equal(document.headers['X-Signature'], historySignature)
    assert.match(document.curl, /awards\?tenantId=t1'/)
  })

  test('prints for people the three headers and a curl that a shell reads as it was meant', async (t) => {
    const cwd = temporaryFolder(t)
    writeFileSync(join(cwd, '.env'), 'API_KEY=pck_1\nSIGNING_SECRET=pcs_1\n')
    const tricky = `{"note":"it's $HOME \`x\` \\"q\\""}`
    const text = textOf(await runCommand(['sign', '--data', tricky, '--url', 'http://h:1'], { cwd }))
    const [, timestamp] = /^X-Timestamp: (\d{13})$/m.exec(text) ?? []
    const signature = sign('pcs_1', timestamp!, tricky)
    assert.match(text, /^X-Api-Key: pck_1$/m)
    assert.ok(text.includes(`X-Signature: ${signature}\n`))
    // The shell itself says what curl would be given.
    const curl = text.slice(text.indexOf('curl '))
    const given = execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${curl}`], {
      encoding: 'utf8',
    })
    assert.deepEqual(given.trimEnd().split('\n'), [
      '-i',
      'http://h:1/v1/ep/webhook',
      '-H',
      'Content-Type: application/json',
      '-H',
      'X-Api-Key: pck_1',
      '-H',
      `X-Timestamp: ${timestamp}`,
      '-H',
      `X-Signature: ${signature}`,
      '--data-binary',
      tricky,
    ])
  })

  test('without a key, or with nothing or two things to sign, is a wrong command', async (t) => {
    const cwd = temporaryFolder(t)
    const results = await Promise.all([
      runCommand(['sign', '--data', '{}'], { cwd }),
      runCommand(['sign'], { cwd, environment }),
      runCommand(['sign', '--data', '{}', '--tenant', 't1'], { cwd, environment }),
    ])
    const [noKey, nothing, two] = results.map((result) => complaintOf(result, 2))
    assert.match(noKey!, /--api-key and --signing-secret are required/)
    assert.match(nothing!, /specify exactly one of --data, --body and --tenant/)
    assert.match(two!, /specify exactly one of/)
  })
})
