import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeKey } from '../partners/revoke-key.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startService, type TestService } from '../../test/support/service.ts'

type Line = Record<string, unknown>

const requestLines = ({ log }: TestService): Line[] =>
  log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')

/** The line is written after the response. */
async function lineOf(service: TestService, requestId: string | null): Promise<Line> {
  const find = () => requestLines(service).find((line) => line.requestId === requestId)
  await eventually('the request is in the log', () => find() !== undefined)
  return find()!
}

test("a cap's refusal is logged with the cap, its limit and the EP that were requested", async (t) => {
  const service = await startService(t, {
    CAP_PER_TX: '50',
    CAP_PER_PARTNER_DAY: '60',
    CAP_PER_USER_DAY: '20',
  })
  const { acme } = service
  const userEmail = 'ann@example.com'
  assert.equal((await acme.award({ userEmail, amount: 20_000 })).status, 202)
  for (const [award, cap] of [
    [{ amount: 51_000 }, { cap: 'perTx', limit: 50, requested: 51 }],
    [{ amount: 41_000 }, { cap: 'perPartnerDay', limit: 60, requested: 41 }],
    [
      { userEmail, amount: 1_000 },
      { cap: 'perUserDay', limit: 20, requested: 1 },
    ],
    [{ amount: 999 }, { cap: undefined, limit: undefined, requested: undefined }],
  ] as const) {
    const { headers } = await acme.award(award)
    const { cap: name, limit, requested, partnerId } = await lineOf(service, headers.get('x-request-id'))
    assert.deepEqual({ cap: name, limit, requested, partnerId }, { ...cap, partnerId: 'acme' })
  }
  assert.doesNotMatch(service.log.join(''), /ann@example|order/)
})

test('a wrong signature is logged with the key and the partner if the key is known, and with neither if not', async (t) => {
  const service = await startService(t)
  const { acme } = service
  const [key] = await service.operate(async ({ store }) => (await store.partners())[0]!.keys)
  const wrong = { 'X-Signature': '0'.repeat(64) }
  const loggedFor = async (headers: Record<string, string>) => {
    const answer = await acme.award({}, headers)
    assert.deepEqual([answer.status, answer.body.code], [401, 'INVALID_SIGNATURE'])
    const { keyId, partnerId } = await lineOf(service, answer.headers.get('x-request-id'))
    return { keyId, partnerId }
  }
  const nobody = { keyId: undefined, partnerId: undefined }
  assert.deepEqual(await loggedFor(wrong), { keyId: key!.keyId, partnerId: 'acme' })
  assert.deepEqual(await loggedFor({ ...wrong, 'X-Api-Key': 'pck_unknown' }), nobody)
  assert.deepEqual(await loggedFor({ 'X-Api-Key': 'pck_unknown' }), nobody)

  await service.operate((operator) => revokeKey(operator, key!.keyId))
  await eventually('the key is revoked', async () => (await acme.award()).status === 401)
  assert.deepEqual(await loggedFor(wrong), nobody)
  assert.doesNotMatch(service.log.join(''), /pck_|pcs_/)
})

test("a request is logged with its client's address, from X-Forwarded-For only if the peer is in TRUST_PROXY", async (t) => {
  const forwarded = { 'X-Forwarded-For': '203.0.113.9' }
  for (const [trusted, address] of [
    ['', '127.0.0.1'],
    ['127.0.0.0/8', '203.0.113.9'],
  ] as const) {
    const service = await startService(t, { TRUST_PROXY: trusted })
    const { headers } = await service.acme.award({}, forwarded)
    assert.equal((await lineOf(service, headers.get('x-request-id'))).clientAddress, address)
  }
})
