import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleFiles, consolePaths } from './files.ts'

const gzippedBytesMax = 120_000

test('the whole console is under 120 KB, compressed', async () => {
  const files = [...(await consoleFiles()).values()]
  const total = files.reduce((sum, { gzipped }) => sum + gzipped.length, 0)
  assert.ok(total < gzippedBytesMax, `${total} bytes`)
})

test('whatever a module of the console imports is served, and nothing comes from elsewhere', async () => {
  const files = await consoleFiles()
  assert.deepEqual(new Set(files.keys()), new Set(consolePaths()))
  for (const [path, { type, bytes }] of files) {
    const text = bytes.toString()
    assert.doesNotMatch(text, /sourceMappingURL|@import|https?:\/\/(?!www\.w3\.org)/, path)
    if (type !== 'text/javascript') continue
    for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]/gm)) {
      const { pathname } = new URL(specifier!, `http://localhost${path}`)
      assert.ok(files.has(pathname), `${path} imports ${specifier}`)
    }
  }
})
