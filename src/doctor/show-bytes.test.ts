import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8 } from './bytes.ts'
import { showBytes, visibleText } from './show-bytes.ts'

test('every byte is shown, and what cannot be seen has a name', () => {
  const shown = showBytes(Uint8Array.from([...utf8('\ufeffa é\r\n\t\0\x01👍\u00a0'), 0xff, 0xc3]))
  assert.deepEqual(
    shown.map(({ hex, text, kind }) => `${hex} ${text} ${kind}`),
    [
      'ef BOM control',
      'bb  continuation',
      'bf  continuation',
      '61 a plain',
      '20 SP space',
      'c3 é plain',
      'a9  continuation',
      '0d CR control',
      '0a LF control',
      '09 TAB control',
      '00 NUL control',
      '01  control',
      'f0 👍 plain',
      '9f  continuation',
      '91  continuation',
      '8d  continuation',
      'c2 U+A0 control',
      'a0  continuation',
      'ff  not-utf-8',
      'c3  not-utf-8',
    ],
  )
})

test('the visible text has a sign for each byte that has no letter', () => {
  assert.equal(visibleText(utf8('1.{"é": 1}\r\n')), '1.{"é": 1}⟨CR⟩⟨LF⟩')
  assert.equal(visibleText(Uint8Array.of(1, 0xe9)), '⟨01⟩⟨e9⟩')
})
