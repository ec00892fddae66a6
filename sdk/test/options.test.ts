import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError, PartnerCredit, type PartnerCreditOptions } from '../src/index.ts'

const good = { baseUrl: 'https://credit.example.com', apiKey: 'pck_example', signingSecret: 'pcs_example' }

const goodUrls: [given: string, kept: string][] = [
  ['https://credit.example.com', 'https://credit.example.com'],
  ['https://credit.example.com/', 'https://credit.example.com'],
  ['https://credit.example.com:8443/a/b//', 'https://credit.example.com:8443/a/b'],
  ['HTTPS://Credit.Example.com', 'https://credit.example.com'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['http://127.1:8080/', 'http://127.0.0.1:8080'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
  ['https://example.com/v10', 'https://example.com/v10'],
]
for (const [given, kept] of goodUrls) {
  test(`baseUrl may be ${given}`, () => {
    equal(new PartnerCredit({ ...good, baseUrl: given }).baseUrl, kept)
  })
}

const mistakes: [changed: Record<string, unknown>, message: RegExp][] = [
  [{ baseUrl: undefined }, /baseUrl is missing/],
  [{ baseUrl: 'credit.example.com' }, /baseUrl must be a URL such as https:/],
  [{ baseUrl: 7 }, /baseUrl must be a URL/],
  [{ baseUrl: 'ftp://example.com' }, /baseUrl must begin with https:/],
  [{ baseUrl: 'http://example.com' }, /baseUrl must begin with https.*without TLS/],
  [{ baseUrl: 'http://localhost.example.com' }, /without TLS/],
  [{ baseUrl: 'http://127.0.0.1.example.com' }, /without TLS/],
  [{ baseUrl: 'http://10.0.0.1' }, /without TLS/],
  [{ baseUrl: 'https://user:word@example.com' }, /baseUrl must not have a user or a password/],
  [{ baseUrl: 'https://example.com/?a=1' }, /baseUrl must not have a query/],
  [{ baseUrl: 'https://example.com/#a' }, /baseUrl must not have a query or a fragment/],
  [{ baseUrl: 'https://example.com/v1' }, /baseUrl must end before \/v1/],
  [{ baseUrl: 'https://example.com/v1/ep/webhook' }, /baseUrl must end before \/v1/],
  [{ apiKey: undefined }, /apiKey is missing: is its environment variable set\?/],
  [{ apiKey: '' }, /apiKey is missing/],
  [{ apiKey: 7 }, /apiKey must be a string/],
  [{ apiKey: 'pck_example\n' }, /apiKey has white space in it/],
  [{ apiKey: 'pck_…' }, /apiKey has a character beyond ASCII/],
  [{ apiKey: 'pcs_example' }, /apiKey is a signing secret .* must never be sent/],
  [{ signingSecret: 'pck_example' }, /signingSecret is an API key/],
  [{ signingSecret: undefined }, /signingSecret is missing/],
  [{ signingSecret: 'pcs_example ' }, /signingSecret has white space in it/],
  [{ timeoutMs: 0 }, /timeoutMs must be whole milliseconds, from 1 to 2147483647/],
  [{ timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs must be whole milliseconds/],
  [{ retries: -1 }, /retries must be 0 or a whole number above/],
  [{ retries: 1.5 }, /retries must be 0 or a whole number above/],
  [{ fetch: 'node-fetch' }, /fetch must be a function/],
  [{ apikey: 'pck_example' }, /apikey is not an option/],
]
for (const [changed, message] of mistakes) {
  test(`refused at once: ${JSON.stringify(changed)}`, () => {
    throws(
      () => new PartnerCredit({ ...good, ...changed } as PartnerCreditOptions),
      (error) => {
        ok(error instanceof InvalidArgumentError)
        match(error.message, message)
        equal(error.errors.length, 1)
        return true
      },
    )
  })
}

test('all mistakes are listed in one error', () => {
  throws(
    () => new PartnerCredit({} as never),
    (error) => {
      ok(error instanceof InvalidArgumentError)
      deepEqual(
        error.errors.map(({ pointer }) => pointer),
        ['/baseUrl', '/apiKey', '/signingSecret'],
      )
      return true
    },
  )
  throws(() => new PartnerCredit(undefined as never), InvalidArgumentError)
})
