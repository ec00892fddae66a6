import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { published } from '../support/published-contract.ts'

/** What partners' programs rely on, as an independent copy: a member that may be absent ends in "?". */
const released: Record<string, [statuses: number[], ...members: string[]]> = {
  INVALID_REQUEST: [[400, 405, 408, 413, 414, 415, 417, 431], 'errors?'],
  INVALID_SIGNATURE: [[401], 'bodyBytes', 'bodySha256'],
  TIMESTAMP_OUT_OF_RANGE: [[401], 'serverTime', 'skewMs?'],
  TENANT_NOT_ALLOWED: [[403]],
  PARTNER_SUSPENDED: [[403]],
  NOT_FOUND: [[404]],
  ORDER_ID_CONFLICT: [[409], 'differs', 'epTransactionId', 'awardedAt'],
  AMOUNT_BELOW_MIN: [[422], 'minimum'],
  PER_TX_CAP_EXCEEDED: [[422], 'limit', 'requested'],
  DAILY_CAP_EXCEEDED: [[429], 'cap', 'limit', 'requested', 'used?', 'resetsAt'],
  RATE_LIMITED: [[429]],
  INTERNAL_ERROR: [[500]],
  UNAVAILABLE: [[503]],
}

const ofAllErrors = ['type', 'title', 'status', 'code', 'detail', 'requestId']

test('codes, statuses and members of the errors are the released ones, whatever the wording', () => {
  const found = Object.values<ErrorSchema>(published.components.schemas)
    .filter(({ properties }) => properties.requestId !== undefined)
    .map(({ properties, required }) => {
      const { status, code } = properties
      const names = Object.keys(properties)
      deepEqual(names.slice(0, ofAllErrors.length), ofAllErrors)
      const members = names
        .slice(ofAllErrors.length)
        .map((name) => (required.includes(name) ? name : `${name}?`))
      return [code!.const, [status!.enum ?? [status!.const], ...members]]
    })
  deepEqual(Object.fromEntries(found), released)
})

type ErrorSchema = { required: string[]; properties: Record<string, { const?: unknown; enum?: unknown[] }> }
