import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csv } from './csv.ts'

test('cells with commas, quotes or line breaks are quoted; numbers are plain', () => {
  assert.equal(
    csv([['partner', 'EP'], ['a,b', 1000], ['say "hi"', -1], ['x\ny', 0]]), // biome-ignore format: as a table
    'partner,EP\n"a,b",1000\n"say ""hi""",-1\n"x\ny",0',
  )
})

test('a text that a spreadsheet would take for a formula stays a text', () => {
  assert.equal(csv([['=1+1', '+1', '-1', '@x', 'a=b']]), "'=1+1,'+1,'-1,'@x,a=b")
})
