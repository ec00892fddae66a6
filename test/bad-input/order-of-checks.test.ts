import { equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { sign } from '../../src/access/signature.ts'
import { send } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, url, clock } = service
await acme.award({ ...privateFields, orderId: 'known' })
await acme.award({ tenantId: 't2', userEmail: 'lan@example.com', amount: 5000 })

/** A request in which everything is wrong. Each step fixes one thing, and the next error appears. */
const request = {
  path: '/v1/ep/webhook/',
  method: 'PUT',
  padding: ' '.repeat(65_536),
  mediaType: 'text/plain',
  apiKey: '',
  timestamp: String(clock.now() - 300_001),
  secret: 'pcs_wrong',
  json: ',',
  fields: { tenantId: 't9', orderId: 'known', userEmail: 'private', amount: 999, note: privateFields.note },
}

function sendIt() {
  const { path, method, padding, mediaType, apiKey, timestamp, secret, json, fields } = request
  const body = JSON.stringify(fields) + json + padding
  const auth = { 'X-Api-Key': apiKey, 'X-Timestamp': timestamp, 'X-Signature': sign(secret, timestamp, body) }
  return send(url + path, { method, body, headers: { 'Content-Type': mediaType, ...auth } })
}

const caps = (perTx: number, perPartnerDay: number) =>
  service.operate((operator) => setPartnerCaps(operator, 'acme', { perTx, perPartnerDay }, undefined))

await caps(3, 5)
await service.operate((operator) => setTenantCaps(operator, 't2', 5))
await service.operate((operator) => suspendPartner(operator, 'acme'))

describe('the checks are made in the published order', () => {
  const { fields } = request
  const steps: [string, status: number, code: string, fix: () => unknown][] = [
    ['path', 404, 'NOT_FOUND', () => Object.assign(request, { path: '/v1/ep/webhook' })],
    ['method', 405, 'INVALID_REQUEST', () => Object.assign(request, { method: 'POST' })],
    ['size', 413, 'INVALID_REQUEST', () => Object.assign(request, { padding: '' })],
    ['media type', 415, 'INVALID_REQUEST', () => Object.assign(request, { mediaType: 'application/json' })],
    ['headers', 401, 'INVALID_SIGNATURE', () => Object.assign(request, { apiKey: acme.apiKey })],
    [
      'timestamp',
      401,
      'TIMESTAMP_OUT_OF_RANGE',
      () => Object.assign(request, { timestamp: String(clock.now()) }),
    ],
    ['signature', 401, 'INVALID_SIGNATURE', () => Object.assign(request, { secret: acme.signingSecret })],
    ['JSON', 400, 'INVALID_REQUEST', () => Object.assign(request, { json: '' })],
    ['field rules', 400, 'INVALID_REQUEST', () => Object.assign(fields, { userEmail: 'lan@example.com' })],
    ['tenant', 403, 'TENANT_NOT_ALLOWED', () => Object.assign(fields, { tenantId: 't2' })],
    ['known order', 409, 'ORDER_ID_CONFLICT', () => Object.assign(fields, { orderId: 'fresh' })],
    [
      'suspended',
      403,
      'PARTNER_SUSPENDED',
      () => service.operate((operator) => resumePartner(operator, 'acme')),
    ],
    ['minimum amount', 422, 'AMOUNT_BELOW_MIN', () => Object.assign(fields, { amount: 4000 })],
    ['perTx', 422, 'PER_TX_CAP_EXCEEDED', () => caps(4, 5)],
    ['perPartnerDay', 429, 'DAILY_CAP_EXCEEDED', () => caps(4, 9)],
    [
      'perUserDay',
      429,
      'DAILY_CAP_EXCEEDED',
      () => service.operate((operator) => setTenantCaps(operator, 't2', 9)),
    ],
  ]
  for (const [check, status, code, fix] of steps) {
    test(`${check}: ${status} ${code}`, async () => {
      const { body } = await assertRefused(service, { status, code }, sendIt)
      if (code === 'DAILY_CAP_EXCEEDED') equal(body.cap, check)
      await fix()
    })
  }
  test('what passes them all is credited', async () => {
    equal((await sendIt()).status, 202)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
