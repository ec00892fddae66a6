import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import pino from 'pino'
import { readConfig } from '../src/config.ts'
import { serve } from '../src/serve.ts'
import { openStore } from '../src/stores/open.ts'
import { type Example, examplesOf, missingTools } from './support/doc-examples.ts'
import { hostedShell } from './support/hosted-shell.ts'
import { temporaryFolder } from './support/service.ts'

/** It shows the ledger of the demo: docs-support.test.ts. */
const supportPage = 'docs/operator/support.md'

/**
 * Runs the shell examples of the docs as a reader would: the ```sh blocks of a page one after the other in one shell,
 * beside a running service. `export` lines that a command prints are pasted back. A ```text block that follows is
 * what the command before it must print, ids and times aside.
 */
const pages = [
  ...['README.md', ...globSync('docs/**/*.md')]
    .filter((page) => page !== supportPage)
    .filter((page) => /^```sh$/m.test(readFileSync(page, 'utf8'))),
  'src/http/docs/site/start.html',
]

/** Blocks that start the service: here it is running already. */
const starts = /^npm (install --omit=dev && npm start|start|run demo|install && npm test|test|run check)$/

const missing = missingTools('bash', 'curl', 'openssl')

describe('the examples of the docs', { concurrency: 3 }, () => {
  for (const page of pages) {
    test(`the examples of ${page} print what the page says`, async (t) => {
      if (missing.length > 0 && process.env.CI === undefined) return t.skip(`needs ${missing.join(', ')}`)
      assert.deepEqual(missing, [])
      const folder = temporaryFolder(t)
      const environment = { DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}` }
      // In this process: a process of its own, one for each page, takes several times as long to start.
      const config = readConfig({ ...environment, PORT: '0', OPERATOR_PORT: '0' })
      const service = await serve(config, { log: pino({ enabled: false }) })
      t.after(() => service.stop())

      const blocks = examplesOf(page).filter(({ script }) => !starts.test(script))
      const outputs = await runAll(
        blocks,
        folder,
        service,
        environment,
        await hostedShell(t, service.lookNow),
      )
      const store = await openStore(config.database)
      t.after(() => store.close())
      for (const { partnerId, status } of await store.partners.partners()) {
        assert.equal(status, 'active', `the reader goes on with ${partnerId}`)
      }
      for (const [index, { script, expected }] of blocks.entries()) {
        if (expected !== null) assert.equal(generic(outputs[index]!), generic(expected), script)
      }
    })
  }
})

async function runAll(
  blocks: Example[],
  folder: string,
  { partnerUrl: url, operatorUrl }: { partnerUrl: string; operatorUrl: string },
  environment: Record<string, string>,
  prelude: string,
): Promise<string[]> {
  const steps = blocks.map(({ script }, index) => {
    const output = join(folder, `output-${index}`)
    const here = script
      .replaceAll('http://127.0.0.1:8080', url)
      .replaceAll('http://127.0.0.1:8081', operatorUrl)
    // A reader takes longer than the second in which a running server notices what the command line changed.
    const pause = /partner-credit\.js (partner|tenant|key) /.test(here) ? 'pause' : ''
    // The command line does not know the port that this server chose.
    const paste = `. <(sed -n '/^export /s|http://127.0.0.1:8080|${url}|; /^export /p' ${output})`
    return `{ ${here}\n} > ${output} 2>&1; ${paste}; look; ${pause}`
  })
  const env = { ...process.env, ...environment, TMPDIR: folder }
  await promisify(execFile)('bash', ['-ec', [prelude, ...steps].join('\n')], { env })
  return blocks.map((_, index) =>
    readFileSync(join(folder, `output-${index}`), 'utf8').replaceAll(url, 'http://127.0.0.1:8080'),
  )
}

/** Without what differs from run to run. */
function generic(output: string): string {
  return output
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, 'DAY')
    .replace(/\bcli:\S+ \(command line on [^)]*\)/g, 'OPERATOR')
    .replace(/\b(pck|pcs|key)_[\w-]+/g, '$1_KEY')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/"nextCursor":"[\w-]+"/g, '"nextCursor":"CURSOR"')
    .replace(/\b1\d{12}\b/g, 'MS')
    .replace(/^(date|retry-after|content-length): .*$/gim, '$1')
    .replace(/\r/g, '')
    .trim()
}
