import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSubjects } from './back-off.ts'

test('strangers cannot make the store grow: any number of names and addresses share 65,536 rows of each kind', () => {
  const subjectOf = createSubjects(new Uint8Array(32))
  const subjects = new Set<string>()
  for (let index = 0; index < 300_000; index++) subjects.add(subjectOf('account', `name-${index}`))
  assert.ok(subjects.size <= 65_536 && subjects.size > 60_000)
  assert.notEqual(subjectOf('account', 'x'), subjectOf('address', 'x'))
})

test('only who has the master key knows which addresses share a row', () => {
  const [ours, again, others] = [1, 1, 2].map((byte) => createSubjects(new Uint8Array(32).fill(byte)))
  const names = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`)
  const under = (subjectOf: typeof ours) => names.map((name) => subjectOf!('address', name))
  assert.deepEqual(under(ours), under(again))
  const same = under(ours).filter((subject, index) => subject === under(others)[index])
  assert.ok(same.length < 5, `${same.length} of 100 have the same row under another key`)
})
