import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { simpleRows } from '../../test/support/simple-versions.ts'
import { prepareRowArrays } from './row-arrays.ts'

test('the rows are those that SQLite returns as objects', () => {
  using database = new DatabaseSync(':memory:')
  const sql = `
    SELECT value AS seq, 'order-' || value AS orderId, iif(value % 2, NULL, 'é') AS note
    FROM json_each('[1, 2, 3, 9007199254740991]') WHERE value < ?`
  const rowOf = ([seq, orderId, note]: [number, string, string | null]) => ({ seq, orderId, note })
  const rows = prepareRowArrays(database.prepare(sql), rowOf)
  for (const below of [1, 3, 2 ** 53]) {
    const objects = simpleRows(database.prepare(sql), below)
    assert.deepEqual(
      rows(below),
      objects.map((row) => ({ ...(row as object) })),
    )
  }
})
