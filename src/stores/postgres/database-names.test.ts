import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameDatabase } from './database-names.ts'

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
