import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSalts } from './salts.ts'

test('every salt is new, also after the next draw, and none is overwritten by it', () => {
  const nextSalt = createSalts()
  const salts = Array.from({ length: 1000 }, nextSalt)
  for (const salt of salts) assert.equal(salt.buffer.byteLength, 16, 'memory of its own')
  assert.equal(new Set(salts.map((salt) => Buffer.from(salt).toString('hex'))).size, 1000)
})
