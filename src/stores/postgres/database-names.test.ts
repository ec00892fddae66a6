import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { databaseNames, isSameDatabase } from './database-names.ts'

test('databases are the same whatever the role, the password and TLS, and nothing else', () => {
  const one = 'postgres://u:p@db.example.com:5432/ledger?sslmode=disable'
  for (const same of ['postgres://v:q@db.example.com:5432/ledger', `${one}&password=r`])
    assert.ok(isSameDatabase(one, same), same)
  for (const other of [
    'postgres://u:p@db.example.com:5432/another',
    'postgres://u:p@standby.example.com:5432/ledger',
    'postgres://u:p@db.example.com:5433/ledger',
    `${one}&host=standby.example.com`,
  ])
    assert.ok(!isSameDatabase(one, other), other)
  // Without a name, it is that of the role.
  assert.ok(!isSameDatabase('postgres://alice@db.example.com', 'postgres://bob@db.example.com'))
  assert.ok(isSameDatabase('postgres://alice@db.example.com', 'postgres://bob@db.example.com/alice'))
})

test('what the URL leaves out is what the driver takes from the environment', (t) => {
  setEnvironment(t, { PGHOST: 'db.example.com', PGPORT: '6543', PGDATABASE: 'ledger', PGUSER: 'app' })
  assert.deepEqual(databaseNames('postgres:///'), {
    host: 'db.example.com:6543',
    database: 'ledger',
    role: 'app',
  })
  assert.ok(isSameDatabase('postgres:///', 'postgres://u:p@db.example.com:6543/ledger'))
  for (const [one, other] of [
    ['postgres://app:app@db.example.com:6543/', 'postgres://app:app@db.example.com:6543/app'],
    ['postgres://app:app@db.example.com/ledger', 'postgres://app:app@db.example.com:5432/ledger'],
    ['postgres:///ledger', 'postgres://localhost:6543/ledger'],
  ] as const)
    assert.ok(!isSameDatabase(one, other), other)
})

test('a name is decoded as the driver decodes it, and no file for TLS is read', () => {
  assert.ok(!isSameDatabase('postgres://db.example.com/x%2By', 'postgres://db.example.com/x+y'))
  assert.equal(databaseNames('postgres://u@db.example.com/x?sslrootcert=missing.pem').database, 'x')
})

function setEnvironment(t: TestContext, names: Record<string, string>): void {
  const before = Object.fromEntries(Object.keys(names).map((name) => [name, process.env[name]]))
  Object.assign(process.env, names)
  t.after(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}
