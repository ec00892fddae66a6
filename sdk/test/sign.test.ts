import { equal, match, rejects } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { signatureVectors } from '../../test/support/vectors.ts'
import { sign } from '../src/index.ts'
import { createSigner } from '../src/sign.ts'
import { anOrder, startLive } from './live-service.ts'

for (const {
  name,
  endpoint,
  signingSecret,
  timestamp,
  bytes,
  payload,
  times,
  signature,
} of signatureVectors) {
  test(`the contract's signature of ${endpoint === 'award' ? 'an award' : 'a history request'}: ${name}`, async () => {
    equal(await sign({ signingSecret, timestamp, payload: bytes }), signature)
    equal(await createSigner(signingSecret)({ timestamp, payload: bytes }), signature)
    if (payload === undefined) return
    equal(await sign({ signingSecret, timestamp, payload: payload.repeat(times) }), signature, 'as text')
  })
}

test('a timestamp may be a number; what is not whole digits is refused', async () => {
  const signed = { signingSecret: 'pcs_example', payload: '{"a":1}' }
  const signature = await sign({ ...signed, timestamp: '1763182800000' })
  equal(await sign({ ...signed, timestamp: 1_763_182_800_000 }), signature)
  for (const timestamp of [1.5, 1e21, Number.NaN, -1]) {
    await rejects(sign({ ...signed, timestamp }), /timestamp must be whole milliseconds/)
  }
})

test('without a secret there is no signature', async () => {
  for (const signingSecret of ['', undefined as never]) {
    await rejects(sign({ signingSecret, timestamp: '1', payload: '' }), /signingSecret is missing/)
  }
})

describe('the client', async () => {
  const { credit, options, service } = await startLive({ after })

  test('imports the secret once, as a key that cannot be read back', async (t) => {
    const spy = t.mock.method(crypto.subtle, 'importKey').mock
    const signer = createSigner('pcs_example')
    for (const payload of ['a', 'b', 'c']) match(await signer({ timestamp: '1', payload }), /^[0-9a-f]{64}$/)
    equal(spy.callCount(), 1)
    equal(spy.calls[0]?.arguments[3], false, 'not extractable')
  })

  test('signs as sign() does: a request made by hand is accepted', async () => {
    const order = anOrder()
    const body = JSON.stringify(order)
    const timestamp = String(service.clock.now())
    const { apiKey, signingSecret } = options
    const response = await fetch(`${options.baseUrl}/v1/ep/webhook`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Api-Key': apiKey,
        'X-Timestamp': timestamp,
        'X-Signature': await sign({ signingSecret, timestamp, payload: body }),
      },
      body,
    })
    equal(response.status, 202)
    equal((await credit.award(order)).duplicate, true)
  })
})
