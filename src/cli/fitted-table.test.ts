import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayWidth } from '../terminal/display-width.ts'
import { bar, fitLines, fittedTable, grouped, percent } from './fitted-table.ts'

const columns = [
  { heading: 'id' },
  { heading: 'EP', align: 'right' as const },
  { heading: 'note', wraps: true },
]

test('a table is as wide as its cells, numbers to the right', () => {
  assert.equal(
    fittedTable(columns, [['a', 1, 'x'], ['bb', 1000, 'yy']], 80), // biome-ignore format: as a table
    'id    EP  note\na      1  x\nbb  1000  yy',
  )
})

test('what does not fit takes several lines: at spaces, or anywhere in a long word; nothing is lost', () => {
  const text = fittedTable(
    columns,
    [
      ['a', 1, 'one two three four'],
      ['b', 2, 'abcdefghijklmnop'],
    ],
    18,
  )
  const lines = text.split('\n')
  assert.ok(
    lines.every((line) => line.length <= 18),
    text,
  )
  assert.deepEqual(lines.slice(1), [
    'a    1  one two',
    '        three four',
    'b    2  abcdefghij',
    '        klmnop',
  ])
})

test('letters that take two columns, or none, are counted as terminals show them', () => {
  assert.equal(displayWidth('abc'), 3)
  assert.equal(displayWidth('Cảm ơn'), 6)
  assert.equal(displayWidth('Cảm ơn'.normalize('NFD')), 6)
  assert.equal(displayWidth('円'), 2)
  assert.equal(displayWidth('🎉'), 2)
  const lines = fittedTable(
    [{ heading: 'note', wraps: true }],
    [['日本語のとても長い注文メモです']],
    10,
  ).split('\n')
  assert.ok(lines.every((line) => displayWidth(line) <= 10))
  assert.equal(lines.slice(1).join(''), '日本語のとても長い注文メモです')
})

test('a bar and its percentage are full only when the cap is reached; a cap of 0 always is', () => {
  assert.deepEqual(
    [0, 1, 50, 99, 100].map(
      (points) => `${bar({ points, limit: 100 }, 4)} ${percent({ points, limit: 100 })}`,
    ),
    ['░░░░ 0 %', '░░░░ 1 %', '██░░ 50 %', '███░ 99 %', '████ 100 %'],
  )
  assert.equal(percent({ points: 29, limit: 100 }), '29 %')
  assert.equal(`${bar({ points: 0, limit: 0 }, 2)} ${percent({ points: 0, limit: 0 })}`, '██ 100 %')
  assert.equal(bar({ points: 300, limit: 100 }, 2), '██', 'after the cap was lowered')
  assert.equal(grouped(1_234_567), '1,234,567')
})

test('a line that is too long goes on in the next one, indented; a rest without spaces is cut', () => {
  assert.equal(fitLines('short\n  note: one two three', 14), 'short\n  note: one\n    two three')
  assert.equal(fitLines('abcdefghij', 6), 'abcdef\n  ghij')
})
