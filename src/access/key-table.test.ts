import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { createKeyTable } from './key-table.ts'

const row = (name: string) => ({ name, hash: hash('sha256', name, 'buffer') })
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`key ${index}`))

test('every row is found by its hash, in a table of any size', () => {
  for (let count = 1; count <= 70; count++) {
    const [first, ...others] = rows(count)
    const { rowOf } = createKeyTable([first!, ...others])
    for (const { name, hash } of [first!, ...others]) assert.equal(rowOf(hash).name, name)
  }
})

test('a hash that is not there still gets a row: the one before it, or the first', () => {
  const [a, b, c] = [0x20, 0x40, 0x60].map((byte) => ({ hash: Buffer.alloc(32, byte) })) as [Row, Row, Row]
  const { rowOf } = createKeyTable([c, a, b])
  const found = [0, 0x20, 0x21, 0x3f, 0x40, 0x5f, 0x60, 0xff].map((byte) => rowOf(Buffer.alloc(32, byte)))
  assert.deepEqual(found, [a, a, a, a, b, b, c, c])
})

test('rows are replaced without disturbing the others, in a table of any size', () => {
  for (let count = 1; count <= 70; count++) {
    const all = rows(2 * count)
    const [stays, ...others] = all.slice(0, count)
    const removed = new Set(others.slice(count / 2))
    const added = all.slice(count)
    const { rowOf } = createKeyTable([stays!, ...others]).replaced(removed, added)
    for (const row of all) assert.equal(rowOf(row.hash) === row, !removed.has(row), row.name)
  }
})

type Row = { hash: Buffer }
