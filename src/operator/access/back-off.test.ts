import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectOf } from './back-off.ts'

test('strangers cannot make the store grow: any number of names and addresses share 65,536 rows of each kind', () => {
  const subjects = new Set<string>()
  for (let index = 0; index < 300_000; index++) subjects.add(subjectOf('account', `name-${index}`))
  assert.ok(subjects.size <= 65_536 && subjects.size > 60_000)
  assert.notEqual(subjectOf('account', 'x'), subjectOf('address', 'x'))
})
