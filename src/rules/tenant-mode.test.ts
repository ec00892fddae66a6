import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSandbox } from './tenant-mode.ts'

test('the awards of a sandbox tenant do not count, those of a live one do', () => {
  assert.equal(isSandbox({ mode: 'sandbox' }), true)
  assert.equal(isSandbox({ mode: 'live' }), false)
})
