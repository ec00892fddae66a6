import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simpleSalts } from '../../test/support/simple-versions.ts'
import { createSalts } from './salts.ts'

for (const [name, create] of Object.entries({ createSalts, simpleSalts })) {
  test(`${name}: every salt has its length and is new`, () => {
    const nextSalt = create(16)
    const salts = Array.from({ length: 1000 }, nextSalt)
    for (const salt of salts) assert.equal(salt.length, 16)
    assert.equal(new Set(salts.map((salt) => Buffer.from(salt).toString('hex'))).size, 1000)
  })
}

test('a salt has memory of its own: the next draw does not overwrite it', () => {
  const nextSalt = createSalts(16)
  for (const salt of Array.from({ length: 1000 }, nextSalt)) assert.equal(salt.buffer.byteLength, 16)
})
