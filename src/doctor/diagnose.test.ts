import assert from 'node:assert/strict'
import { createHmac, hash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  apiKey,
  asCurl,
  asHttp,
  rightRequests,
  signingSecret,
  type WrongRequest,
  wrongRequests,
} from '../../test/support/signing-mistakes.ts'
import { signatureVectors } from '../../test/support/vectors.ts'
import { textOf, utf8 } from './bytes.ts'
import { type Diagnosis, diagnose } from './diagnose.ts'
import { mistakes } from './mistakes.ts'
import { readRequest } from './read-request.ts'

/** Soon after the requests of the table were sent. */
const now = 1763182801000

async function diagnosed(text: string, { secret = signingSecret, answer = '' } = {}): Promise<Diagnosis> {
  const reading = readRequest(text)
  assert.ok(reading.ok, reading.ok ? '' : reading.problem)
  return diagnose({ request: reading.request, secret, answer, now })
}

const idsOf = (diagnosis: Diagnosis) => new Set(diagnosis.mistakes.map(({ id }) => id))

describe('the debugger names each classic mistake', () => {
  for (const wrong of wrongRequests) {
    test(`${wrong.method}: ${wrong.name}`, async () => {
      const diagnosis = await diagnosed(asHttp(wrong))
      assert.equal(diagnosis.isRight, false)
      assert.deepEqual(idsOf(diagnosis), new Set(wrong.mistakes))
      assert.deepEqual(readRequest(asCurl(wrong)), readRequest(asHttp(wrong)), 'however it was pasted')
    })
  }

  test('all that can be named by the request alone are in the table', () => {
    const named = new Set(wrongRequests.flatMap(({ mistakes }) => mistakes))
    const others = Object.keys(mistakes).filter((id) => !named.has(id as keyof typeof mistakes))
    assert.deepEqual(others, [
      'secret-is-api-key',
      'white-space-trimmed',
      'secret-hex-decoded',
      'signature-with-line-break',
      'body-changed-in-transit',
    ])
  })
})

describe('a request that is signed right', () => {
  for (const right of rightRequests) {
    test(`(${right.name}) is found right`, async () => {
      for (const text of [asHttp(right), asCurl(right)]) {
        const diagnosis = await diagnosed(text)
        assert.deepEqual([diagnosis.isRight, idsOf(diagnosis)], [true, new Set()], text)
        assert.equal(diagnosis.expected, diagnosis.given)
      }
    })
  }

  for (const { name, endpoint, signingSecret, timestamp, bytes, signature } of signatureVectors) {
    test(`has the contract's signature: ${name}`, async () => {
      const tenantId = endpoint === 'history' ? encodeURIComponent(textOf(Uint8Array.from(bytes))!) : ''
      const request = {
        endpoint,
        target: `/v1/ep/webhook/awards?tenantId=${tenantId}`,
        body: endpoint === 'award' ? Uint8Array.from(bytes) : new Uint8Array(),
        apiKey: [apiKey],
        timestamp: [timestamp],
        signature: [signature],
        contentType: ['application/json'],
        notes: [],
      }
      const diagnosis = await diagnose({ request, secret: signingSecret, now })
      assert.equal(diagnosis.expected, signature)
      assert.equal(diagnosis.isRight, timestamp.length < 16, 'beyond that it is no time of today')
      assert.equal(textOf(diagnosis.signingString!.slice(0, diagnosis.payloadStart)), `${timestamp}.`)
    })
  }
})

const named = (name: string) => wrongRequests.find((wrong) => wrong.name === name) as WrongRequest

describe('the diagnosis', () => {
  test('shows what was signed where that is known to differ from what must be signed', async () => {
    const missing = await diagnosed(asHttp(named('no dot')))
    assert.equal(textOf(missing.signed!), textOf(missing.signingString!)!.replace('.', ''))
    const secret = await diagnosed(asHttp(named('an empty secret')))
    assert.equal(secret.signed, null)
  })

  test('gives size and hash of the body, to be compared with those in the response', async () => {
    const wrong = named('no dot')
    const { body } = await diagnosed(asHttp(wrong))
    assert.deepEqual(body, { bytes: Buffer.byteLength(wrong.body), sha256: hash('sha256', wrong.body) })
  })

  test('says that the body changed in transit when the response is about another one', async () => {
    const [right] = rightRequests as [WrongRequest]
    const answer = (body: string) =>
      JSON.stringify({ code: 'INVALID_SIGNATURE', bodyBytes: body.length, bodySha256: hash('sha256', body) })
    const changed = await diagnosed(asHttp(right), { answer: answer('{}') })
    assert.deepEqual(idsOf(changed), new Set(['body-changed-in-transit']))
    assert.equal(changed.mistakes[0]!.about, `${Buffer.byteLength(right.body)} bytes here, 2 arrived`)
    assert.equal((await diagnosed(asHttp(right), { answer: answer(right.body) })).isRight, true)
    assert.equal((await diagnosed(asHttp(right), { answer: 'no JSON' })).isRight, true)
  })

  test('sees that the API key was given as the secret, and forgives spaces around a secret', async () => {
    const [right] = rightRequests as [WrongRequest]
    const given = await diagnosed(asHttp(right), { secret: apiKey })
    assert.deepEqual(idsOf(given), new Set(['other-secret-or-bytes', 'secret-is-api-key']))
    assert.equal((await diagnosed(asHttp(right), { secret: ` ${signingSecret}\n` })).isRight, true)
  })

  test('knows a secret that was decoded from hex, and white space that was not signed', async () => {
    const secret = `pcs_${'0badc0de'.repeat(8)}`
    const bytes = Buffer.from('0badc0de'.repeat(8), 'hex')
    const request = (signature: string, body: string) =>
      asHttp({ ...(rightRequests[0] as WrongRequest), body }).replace(
        /X-Signature: \w+/,
        `X-Signature: ${signature}`,
      )
    const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex')
    const decoded = await diagnosed(request(sign(bytes, '1763182800123.{}'), '{}'), { secret })
    assert.deepEqual(idsOf(decoded), new Set(['secret-hex-decoded']))
    const trimmed = await diagnosed(request(sign(secret, '1763182800123.{}'), ' {} '), { secret })
    assert.deepEqual(idsOf(trimmed), new Set(['white-space-trimmed']))
  })

  test('knows a signature that was broken into lines, and one that ends where the first line ended', async () => {
    const [right] = rightRequests as [WrongRequest]
    const broken = asCurl(right).replace(/(X-Signature: \w{60})/, '$1\n')
    assert.deepEqual(idsOf(await diagnosed(broken)), new Set(['signature-with-line-break']))
    const cut = asCurl(right).replace(/(X-Signature: \w{60})\w+/, '$1')
    assert.deepEqual(idsOf(await diagnosed(cut)), new Set(['signature-cut']))
  })

  test('takes the secret out of quotation marks or a line that sets it, and says so', async () => {
    const [right] = rightRequests as [WrongRequest]
    for (const secret of [
      `"${signingSecret}"`,
      `export SIGNING_SECRET=${signingSecret}`,
      `PARTNER_CREDIT_SIGNING_SECRET='${signingSecret}'\n`,
    ]) {
      const { isRight, notes } = await diagnosed(asHttp(right), { secret })
      assert.equal(isRight, true, secret)
      assert.match(notes.join(), /only the part that begins with pcs_ was used/)
      assert.doesNotMatch(notes.join(), new RegExp(signingSecret))
    }
  })

  test('remarks that an award without Content-Type: application/json is refused', async () => {
    const [right] = rightRequests as [WrongRequest]
    const curl = asCurl(right).replace("-H 'Content-Type: application/json'", '')
    const { isRight, notes } = await diagnosed(curl)
    assert.equal(isRight, true)
    assert.match(notes.join(), /^The service refuses .* Content-Type: application\/json/)
    const json = await diagnosed(curl.replace('--data-binary', '--json'))
    assert.deepEqual([json.isRight, json.notes], [true, []])
    const form = asCurl(right).replace('application/json', 'application/x-www-form-urlencoded')
    assert.match((await diagnosed(form)).notes.join(), /^The service refuses/)
  })

  test('remarks on a body that is signed right and is not JSON', async () => {
    const [right] = rightRequests as [WrongRequest]
    const body = 'tenantId=t1&amount=5000'
    const signature = createHmac('sha256', signingSecret).update(`1763182800123.${body}`).digest('hex')
    const text = asHttp({ ...right, body }).replace(/X-Signature: \w+/, `X-Signature: ${signature}`)
    const { isRight, notes } = await diagnosed(text)
    assert.equal(isRight, true)
    assert.match(notes.join(), /The body is a form/)
  })

  test('remarks on a timestamp that is an hour old, and still finds the signature right', async () => {
    const [right] = rightRequests as [WrongRequest]
    const reading = readRequest(asHttp(right))
    assert.ok(reading.ok)
    const late = await diagnose({ request: reading.request, secret: signingSecret, now: now + 3_600_000 })
    assert.equal(late.isRight, true)
    assert.match(late.notes.join(), /^X-Timestamp is 60 minutes before the clock of this computer/)
    assert.deepEqual((await diagnosed(asHttp(right))).notes, [])
  })

  test('of a body that is not UTF-8 or not JSON works as well', async () => {
    const [right] = rightRequests as [WrongRequest]
    const head = utf8(asHttp({ ...right, body: '' }))
    const reading = readRequest(Uint8Array.from([...head, 0xff, 0xfe]))
    assert.ok(reading.ok)
    const diagnosis = await diagnose({ request: reading.request, secret: signingSecret, now })
    assert.deepEqual(idsOf(diagnosis), new Set(['other-secret-or-bytes']))
    assert.equal(diagnosis.body.bytes, 2)
    assert.deepEqual(
      idsOf(await diagnosed(asHttp({ ...right, body: '{"a":' }))),
      new Set(['other-secret-or-bytes']),
    )
  })
})
