import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verificationText } from './verify.ts'

const counts = { entries: 0, accounts: 0, userDays: 0, auditRows: 0 }
const textOf = (fault: string) => verificationText({ ...counts, sound: false, fault })

test('a setting that was changed without a command is explained with what to do; other faults are not', () => {
  assert.match(
    textOf('partner acme was changed without an audit row'),
    /^NOT SOUND: partner acme .*\n.*Set it back by SQL .* run verify again/,
  )
  assert.equal(textOf('acme in t1: #2 is missing'), 'NOT SOUND: acme in t1: #2 is missing')
})
