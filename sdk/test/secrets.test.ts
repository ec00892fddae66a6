import { doesNotMatch, equal, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { PartnerCredit } from '../src/index.ts'
import { type Fault, startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, startLive } from './live-service.ts'

describe('key and secret are shown nowhere', async () => {
  const { service, options, credit } = await startLive({ after })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = new PartnerCredit({ ...options, baseUrl: proxy.url, retries: 0, timeoutMs: 300 })
  const { apiKey, signingSecret } = options

  function assertDiscreet(value: unknown): void {
    const shown = [
      inspect(value, { depth: null, showHidden: true, getters: true }),
      JSON.stringify(value),
      String(value),
      value instanceof Error ? `${value.message}\n${value.stack}` : '',
    ].join('\n')
    ok(!shown.includes(apiKey) && !shown.includes(signingSecret), shown)
    doesNotMatch(shown, /(pck|pcs)_[^…]/)
  }

  test('not by the client', async () => {
    await credit.award(anOrder())
    assertDiscreet(credit)
    assertDiscreet({ credit, awards: credit.awards })
    equal(JSON.stringify(credit), JSON.stringify({ baseUrl: options.baseUrl }))
    for (const copy of [{ ...credit }, Object.assign({}, credit)]) assertDiscreet(copy)
  })

  const failures: Record<string, Fault> = {
    'a lost request': 'is lost',
    'a lost answer': 'is answered, and the answer is lost',
    'a timeout': 'is never answered',
    'a proxy that repeats what was sent': { status: 400, body: `${apiKey} ${signingSecret}` },
    'a code that repeats what was sent': { status: 400, body: JSON.stringify({ code: apiKey }) },
  }
  for (const [name, fault] of Object.entries(failures)) {
    test(`not by the error of ${name}`, async () => {
      proxy.next(fault)
      assertDiscreet(await viaProxy.award(anOrder()).catch((error) => error))
    })
  }

  test('not by the errors of the service', async () => {
    assertDiscreet(await credit.award(anOrder({ tenantId: 't9' })).catch((error) => error))
    const other = new PartnerCredit({ ...options, signingSecret: `${signingSecret}x` })
    assertDiscreet(await other.award(anOrder()).catch((error) => error))
  })

  const badCredentials = [
    { apiKey: `${apiKey}\n` },
    { apiKey: `${apiKey}é` },
    { apiKey: `${apiKey}\u0000` },
    { apiKey: signingSecret, signingSecret: apiKey },
    { signingSecret: ` ${signingSecret}` },
    { baseUrl: `https://${apiKey}:${signingSecret}@example.com` },
  ]
  for (const [index, changed] of badCredentials.entries()) {
    test(`not by the refusal of bad credentials (${index + 1})`, () => {
      try {
        new PartnerCredit({ ...options, ...changed })
        ok(false, 'they were accepted')
      } catch (error) {
        assertDiscreet(error)
      }
    })
  }
})
