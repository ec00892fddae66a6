import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf, type ServerFacts, warningsOf } from './self-check.ts'

const good: ServerFacts = {
  inRecovery: false,
  readOnly: 'off',
  version: 150_000,
  encoding: 'UTF8',
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  arrayNulls: 'on',
  trackActivities: 'on',
  seesItself: true,
  synchronousStandbys: 'berlin',
  openSchema: null,
  lackedPrivileges: null,
  skewMs: 0,
}

const problems: [overrides: Partial<ServerFacts>, words: RegExp][] = [
  [{ inRecovery: true, readOnly: 'on' }, /^it is a read-only standby: DATABASE_URL must name the primary$/],
  [{ readOnly: 'on' }, /^it is read-only$/],
  [{ version: 140_012 }, /PostgreSQL 15 or newer/],
  [{ encoding: 'SQL_ASCII' }, /encoding is SQL_ASCII/],
  [{ fsync: 'off' }, /^fsync is off/],
  [{ fullPageWrites: 'off' }, /^full_page_writes is off/],
  [{ synchronousCommit: 'off' }, /^synchronous_commit is off/],
  [{ synchronousCommit: 'local' }, /^synchronous_commit is local/],
  [{ arrayNulls: 'off' }, /^array_nulls is off/],
  [
    { lackedPrivileges: 'INSERT on entries' },
    /^the role lacks the privilege INSERT on entries: GRANT it to the role, for the whole table$/,
  ],
  [{ trackActivities: 'off' }, /^track_activities is off/],
  [{ seesItself: false }, /GRANT pg_read_all_stats/],
]

for (const [overrides, words] of problems) {
  test(`a database is refused with ${JSON.stringify(overrides)}`, () => {
    const found = problemsOf({ ...good, ...overrides })
    assert.equal(found.length, 1)
    assert.match(found[0]!, words)
  })
}

test('all problems are named at once', () => {
  assert.equal(problemsOf({ ...good, fsync: 'off', synchronousCommit: 'off', encoding: 'LATIN1' }).length, 3)
})

test('a database that waits for its standby, in any of the three ways, is fine', () => {
  for (const synchronousCommit of ['on', 'remote_write', 'remote_apply']) {
    const facts = { ...good, synchronousCommit }
    assert.deepEqual([...problemsOf(facts), ...warningsOf(facts)], [])
  }
})

const warnings: [overrides: Partial<ServerFacts>, words: RegExp | null][] = [
  [{ synchronousStandbys: '' }, /^no synchronous standby/],
  [{ openSchema: 'public' }, /REVOKE CREATE ON SCHEMA public FROM PUBLIC/],
  [{ skewMs: 1000 }, null],
  [{ skewMs: 1001 }, /1\.0 s ahead of/],
  [{ skewMs: -1000 }, null],
  [{ skewMs: -2500 }, /2\.5 s behind/],
]

for (const [overrides, words] of warnings) {
  test(`${words === null ? 'no warning is given' : 'an operator is warned'} of ${JSON.stringify(overrides)}`, () => {
    const found = warningsOf({ ...good, ...overrides })
    assert.equal(found.length, words === null ? 0 : 1)
    if (words !== null) assert.match(found[0]!, words)
  })
}
