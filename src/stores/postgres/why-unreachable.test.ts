import { match } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { whyUnreachable } from './why-unreachable.ts'

test('a certificate for another host is not called untrusted: another authority would not help', () => {
  const error = Object.assign(new Error("Host: db. is not in the cert's altnames"), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  const why = whyUnreachable(error, 'postgres://u@db/ledger?sslmode=verify-full')
  match(why, /^the TLS certificate of db:5432 is for another host: .* Name the host in DATABASE_URL/)
})

test('where no role is named, that is what is missing, not a rule of pg_hba.conf', () => {
  const { user } = pg.defaults
  pg.defaults.user = ''
  try {
    const message = 'no PostgreSQL user name specified in startup packet'
    const error = Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code: '28000' })
    match(whyUnreachable(error, 'postgres://db/ledger'), /was given no role\. Name one in DATABASE_URL/)
  } finally {
    pg.defaults.user = user
  }
})
