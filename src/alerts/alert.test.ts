import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Alert, alertKinds, alertText } from './alert.ts'

test('every kind has a sentence with its numbers', () => {
  const facts = {
    used: 1_900,
    limit: 2_000,
    failures: 30,
    responses: 90,
    minutes: 5,
    wrongSignatures: 7,
    aheadSeconds: -82,
    replays: 21,
    credited: 40,
    refused: 20,
  }
  const about: Omit<Alert, 'kind'> = {
    partnerId: 'acme',
    tenantId: 't1',
    keyId: 'key_1',
    occasion: '',
    facts,
  }
  assert.deepEqual(
    alertKinds.map((kind) => alertText({ ...about, kind })),
    [
      'acme has used 1,900 of 2,000 EP of its perPartnerDay in t1',
      'acme has reached its perPartnerDay of 2,000 EP in t1',
      '30 of 90 requests of acme failed within 5 minutes',
      '7 requests with a key of acme had a wrong signature within 5 minutes',
      'the clock behind the key key_1 of acme is 82 s slow',
      'acme repeated 21 orders within 10 s, in an hour with 40 credited awards',
      'perUserDay refused 20 awards of acme in an hour: its users reach the cap, or it tries out what they have received',
    ],
  )
  const fast = { ...about, kind: 'clockOff' as const, facts: { aheadSeconds: 90 } }
  assert.equal(alertText(fast), 'the clock behind the key key_1 of acme is 90 s fast')
})

test('the page on monitoring explains every kind, and no others', () => {
  const [, section] = readFileSync('docs/operator/monitoring.md', 'utf8').split('\n## Alerts\n')
  const listed = [...section!.matchAll(/^\| `(\w+)` \| (?!Begins)/gm)].map(([, kind]) => kind)
  assert.deepEqual(listed, [...alertKinds])
})
