import { match } from 'node:assert/strict'
import { test } from 'node:test'
import { whyUnreachable } from './why-unreachable.ts'

test('a certificate for another host is not called untrusted: another authority would not help', () => {
  const error = Object.assign(new Error("Host: db. is not in the cert's altnames"), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  const why = whyUnreachable(error, 'postgres://u@db/ledger?sslmode=verify-full')
  match(why, /^the TLS certificate of db:5432 is for another host: .* Name the host in DATABASE_URL/)
})

test('where no role is named, that is what is missing, not a rule of pg_hba.conf', () => {
  const { USER, PGUSER } = process.env
  delete process.env.USER
  delete process.env.PGUSER
  try {
    const error = Object.assign(new Error('no PostgreSQL user name specified in startup packet'), {
      code: '28000',
    })
    match(whyUnreachable(error, 'postgres://db/ledger'), /was given no role\. Name one in DATABASE_URL/)
  } finally {
    Object.assign(process.env, USER === undefined ? {} : { USER }, PGUSER === undefined ? {} : { PGUSER })
  }
})
