import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { systemClock as clock } from '../clock.ts'
import { Collector } from '../journal/collector.ts'
import { HmacKey } from '../shortcuts/hmac-key.ts'
import { journalResponses } from './journal-response.ts'

const key = new HmacKey('a key')

function aJournal() {
  const journal = new Collector({ clock, keepsRefusals: true, tenantExists: () => true })
  return { journal, tell: journalResponses('award', { journal, clock }) }
}

function answeredWith(code: 'INVALID_SIGNATURE' | 'TIMESTAMP_OUT_OF_RANGE' | 'RATE_LIMITED'): FastifyRequest {
  const logNote = { partnerId: 'acme', keyId: 'key_1', code }
  return { id: 'request_1', logNote, seenAward: null, seenOutcome: null } as unknown as FastifyRequest
}

for (const code of ['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE'] as const) {
  test(`the journal takes no time before the response ${code}, which would tell a known key`, async () => {
    const { journal, tell } = aJournal()
    tell(answeredWith(code))
    assert.equal(journal.take(key), null)
    await nextTurn()
    assert.equal(journal.take(key)?.refusals.length, 1)
  })
}

test('a response to a signed request is in the journal before it is sent', () => {
  const { journal, tell } = aJournal()
  tell(answeredWith('RATE_LIMITED'))
  assert.equal(journal.take(key)?.refusals.length, 1)
})
