import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { serveWithPast } from '../src/cli/demo/serve-with-past.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { examplesOf, missingTools } from './support/doc-examples.ts'
import { hostedShell } from './support/hosted-shell.ts'
import { temporaryFolder } from './support/service.ts'

const page = 'docs/operator/support.md'
const now = Date.parse('2026-11-16T16:30:00+07:00')

test('the five questions of the support desk are answered by the ledger of the demo as the page shows', async (t) => {
  const missing = missingTools('bash', 'curl')
  if (missing.length > 0 && process.env.CI === undefined) return t.skip(`needs ${missing.join(', ')}`)
  assert.deepEqual(missing, [])
  const databaseUrl = `sqlite:${join(temporaryFolder(t), 'demo.db')}`
  const config = readConfig({ DATABASE_URL: databaseUrl, PORT: '0', OPERATOR_PORT: '0' })
  const systemClock = { now: () => now, elapsed: () => performance.now() }
  const { service } = await serveWithPast(config, { systemClock, log: createLog('error') })
  await service.stop()

  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DATABASE_URL: databaseUrl,
    FIXED_CLOCK_MS: String(now),
  }
  const examples = examplesOf(page)
  assert.equal(examples.length, 9)
  const shell = await hostedShell(t)
  const outputs: string[] = []
  for (const { script } of examples) {
    const { stdout } = await promisify(execFile)('bash', ['-c', `${shell}\n{ ${script}\n} 2>&1; true`], {
      env,
    })
    outputs.push(stdout)
  }
  if (process.env.WRITE_PAGE === '1') return writePage(outputs)
  for (const [index, { script, expected }] of examples.entries()) {
    assert.equal(withoutRandom(outputs[index]!), withoutRandom(expected!), script)
  }
})

/** WRITE_PAGE=1: after a change of what a command prints, the page shows it. */
function writePage(outputs: string[]): void {
  let text = readFileSync(page, 'utf8')
  for (const [index, { expected }] of examplesOf(page).entries())
    text = text.replace(`\`\`\`text\n${expected}`, () => `\`\`\`text\n${outputs[index]}`)
  writeFileSync(page, text)
}

/** Keys, requestIds, transactions and hashes are random; an id may be broken into two lines. */
function withoutRandom(output: string): string {
  return output
    .replace(/\bkey_[0-9a-f]+/g, 'key_x')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\b[0-9a-f]+(-[0-9a-f]+)+\b/g, (id) => (id.length > 12 ? id.replaceAll(/[0-9a-f]/g, 'x') : id))
    .trim()
}
