import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startFaultyProxy } from '../sdk/test/faulty-proxy.ts'
import { anOrder, startLive } from '../sdk/test/live-service.ts'
import { examplesOf, missingTools } from './support/doc-examples.ts'

test('the loop over all pages in history.md fails at a page that it cannot read, and says that the list is incomplete', async (t) => {
  const missing = missingTools('bash', 'curl', 'openssl')
  if (missing.length > 0 && process.env.CI === undefined) return t.skip(`needs ${missing.join(', ')}`)
  const { service, options, credit } = await startLive(t)
  for (let n = 0; n < 5; n++) await credit.award(anOrder())
  const scripts = examplesOf('docs/partner/history.md').map(({ script }) => script)
  const [sign] = scripts.flatMap((script) => /^sign\(\).*$/m.exec(script)?.[0] ?? [])
  const loop = scripts.find((script) => script.includes('nextCursor'))
  const proxy = await startFaultyProxy(t, service.url)
  const env = {
    ...process.env,
    BASE_URL: proxy.url,
    API_KEY: options.apiKey,
    SIGNING_SECRET: options.signingSecret,
  }
  const run = () => promisify(execFile)('bash', ['-c', `${sign}\n${loop}`], { env })
  assert.equal((await run()).stdout.trim().split('\n').length, 3)

  const arrival = proxy.arrival()
  const running = run()
  await arrival
  proxy.next({ status: 503 })
  await assert.rejects(running, (error: { code: number; stdout: string; stderr: string }) => {
    assert.notEqual(error.code, 0)
    assert.equal(error.stdout.trim().split('\n').length, 1)
    assert.match(error.stderr, /503\n(.*\n)*The list is incomplete\.\n$/)
    return true
  })
})
