import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { serveWithPast } from '../src/cli/demo/serve-with-past.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { examplesOf } from './support/doc-examples.ts'
import { temporaryFolder } from './support/service.ts'

const page = 'docs/operator/support.md'
const now = Date.parse('2026-11-16T16:30:00+07:00')
const fixedClock = new URL('./support/fixed-clock.ts', import.meta.url).pathname

test('the five questions of the support desk are answered by the ledger of the demo as the page shows', async (t) => {
  const databaseUrl = `sqlite:${join(temporaryFolder(t), 'demo.db')}`
  const config = readConfig({ DATABASE_URL: databaseUrl, PORT: '0', OPERATOR_PORT: '0' })
  const systemClock = { now: () => now, elapsed: () => performance.now() }
  const { service } = await serveWithPast(config, { systemClock, log: createLog('error') })
  await service.stop()

  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DATABASE_URL: databaseUrl,
    NODE_OPTIONS: `--import=${fixedClock}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    FIXED_CLOCK_MS: String(now),
  }
  const examples = examplesOf(page)
  assert.equal(examples.length, 8)
  const outputs = examples.map(({ script }) => {
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' })
    return stdout + stderr
  })
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
