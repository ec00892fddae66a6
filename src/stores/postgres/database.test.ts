import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Damaged, DamagedRows, Unavailable } from '../../ledger/errors.ts'
import { asUnavailable } from './database.ts'

function fromServer(code: string): Error {
  return Object.assign(new pg.DatabaseError('said by the server', 0, 'error'), { code })
}

function fromSystem(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code })
}

const ofTheWorld: [what: string, error: Error][] = [
  ['a connection that was refused', fromSystem('ECONNREFUSED')],
  ['a broken pipe, whose code has the form of a SQLSTATE', fromSystem('EPIPE')],
  ['a connection that ended without a word', new Error('Connection terminated unexpectedly')],
  ['a server that shuts down', fromServer('57P01')],
  ['a full disk', fromServer('53100')],
  ['a read-only transaction', fromServer('25006')],
  ['a lock that took too long', fromServer('55P03')],
  ['a transaction that took too long', fromServer('25P04')],
  ['a prepared statement that a pooler lost', fromServer('26000')],
  ['a prepared statement of somebody else behind the same pooler', fromServer('42P05')],
]

for (const [what, error] of ofTheWorld) {
  test(`${what} is a fault of the world`, () => {
    const fault = asUnavailable(error)
    assert.ok(fault instanceof Unavailable)
    assert.equal(fault.cause, error)
  })
}

test('after damage in PostgreSQL each award of a batch is tried alone, because perhaps only some need the page', () => {
  for (const code of ['XX001', 'XX002']) assert.ok(asUnavailable(fromServer(code)) instanceof DamagedRows)
})

const bugs: [what: string, error: Error][] = [
  ['a statement that the server does not understand', fromServer('42601')],
  ['a broken constraint', fromServer('23514')],
  ['an integer beyond 2^53', new Damaged('a row cannot be read: it holds 9007199254740993')],
]

for (const [what, error] of bugs) {
  test(`${what} is a bug and stays what it is`, () => assert.equal(asUnavailable(error), error))
}

test('a fault that was recognized is not wrapped again', () => {
  const fault = new Unavailable('the database cannot be reached')
  assert.equal(asUnavailable(fault), fault)
})
