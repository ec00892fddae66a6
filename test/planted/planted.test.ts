import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { plantedBugs } from './bugs.ts'
import { applyEdit } from './edit.ts'

for (const { name, edits } of plantedBugs) {
  test(`the planted bug "${name}" still finds its place in the source`, () => {
    const files = Object.groupBy(edits, ({ file }) => file)
    for (const [file, edits] of Object.entries(files)) {
      const source = readFileSync(file, 'utf8')
      assert.notEqual(edits!.reduce(applyEdit, source), source)
    }
  })
}

test('an edit that finds nothing, or two places, is refused', () => {
  const edit = { file: 'x.ts', find: 'a', replace: 'b' }
  assert.throws(() => applyEdit('ccc', edit), /does not have exactly one/)
  assert.throws(() => applyEdit('aca', edit), /does not have exactly one/)
})
