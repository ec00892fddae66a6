import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aMasterKey } from '../../../test/support/operators.ts'
import { aNoon } from '../../../test/support/test-clock.ts'
import { firstAccountSecret, firstAccountUrl, isFirstAccountSecret } from './first-account.ts'

test('the link of the first account is valid for a day, for one ledger, and cannot be made without its master key', () => {
  const secret = firstAccountSecret(aMasterKey, aNoon)
  assert.equal(isFirstAccountSecret(aMasterKey, secret, aNoon + 86_399_999), true)
  assert.equal(isFirstAccountSecret(aMasterKey, secret, aNoon + 86_400_000), false)
  assert.equal(isFirstAccountSecret(new Uint8Array(32), secret, aNoon), false)
  const later = secret.replace(/^[0-9]+/, String(aNoon * 2))
  for (const wrong of ['', '1.x', later, `${secret}x`])
    assert.equal(isFirstAccountSecret(aMasterKey, wrong, aNoon), false)
  assert.equal(firstAccountUrl('http://127.0.0.1:8081', 'x'), 'http://127.0.0.1:8081/sign-in#first=x')
})
