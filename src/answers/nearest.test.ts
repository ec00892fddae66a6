import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

const names = ['acme', 'globex', 'initech', 'umbrella-shop']

test('a slip of the keyboard leads to the name that was meant', () => {
  for (const slip of ['acm', 'amce', 'ACME', 'acmee', 'axme'])
    assert.equal(nearest(slip, names), 'acme', slip)
  assert.equal(nearest('glbex', names), 'globex')
  assert.equal(nearest('umbrela-shp', names), 'umbrella-shop')
})

test('of what is not near any name, none is guessed', () => {
  for (const name of ['', 'zzz', 'completely-different']) assert.equal(nearest(name, names), null, name)
  assert.equal(nearest('acme', []), null)
})
