import { deepEqual, equal, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { madeFiles } from '../../contract/make/made-files.ts'
import { operatorApiDocument } from '../../src/operator/api/routes.ts'
import { send } from '../support/client.ts'
import { published, publishedSchema, publishedText, step } from '../support/published-contract.ts'
import { startService, temporaryFolder } from '../support/service.ts'

test('what is committed is what the code makes: run `npm run contract` after a change', () => {
  for (const [path, text] of madeFiles()) {
    equal(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), text, path)
  }
})

test('the service gives its contract to everyone who asks, without a key', async (t) => {
  const { url } = await startService(t)
  const answer = await send(`${url}/openapi.json`)
  equal(answer.status, 200)
  equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  deepEqual(answer.body, JSON.parse(publishedText))
})

test("the linter has nothing to say about it, nor about the operator API's", async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const operators = join(temporaryFolder(t), 'operator-api.json')
  // The linter wants a 2XX of every operation. These two only lead a browser on.
  const {
    '/oidc/start': _start,
    '/oidc/callback': _callback,
    ...paths
  } = operatorApiDocument.paths as object & {
    '/oidc/start': object
    '/oidc/callback': object
  }
  writeFileSync(operators, JSON.stringify({ ...operatorApiDocument, paths }))
  await promisify(execFile)('npm', ['run', '--silent', 'lint:contract', '--', operators])
  ok(scripts['lint:contract'].includes('recommended-strict'), 'warnings are errors')
})

test('every example in it is valid', () => {
  let examples = 0
  // biome-ignore lint/suspicious/noExplicitAny: it walks over the document as data
  function walk(node: any, pointer: string): void {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) walk(value, `${pointer}${step(key)}`)
    if (node.schema === undefined) return
    const values = [
      node.example,
      ...Object.values<{ value: unknown }>(node.examples ?? {}).map(({ value }) => value),
    ]
    for (const value of [...values, ...(node.schema.examples ?? [])].filter((value) => value !== undefined)) {
      const check = publishedSchema(`${pointer}/schema`)
      ok(check(value), `${pointer}: ${JSON.stringify(check.errors)}`)
      examples++
    }
  }
  walk(published, '')
  ok(examples > 40, `only ${examples} examples`)
})
