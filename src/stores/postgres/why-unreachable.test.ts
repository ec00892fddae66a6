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
