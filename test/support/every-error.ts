import pino from 'pino'
import { Unavailable } from '../../src/ledger/errors.ts'
import { setPartnerRate } from '../../src/partners/set-partner-rate.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { createHttpListener } from '../../src/wire/http-listener.ts'
import { type Answer, type AwardFields, anAwardBody, send } from './client.ts'
import { eventually } from './eventually.ts'
import type { TestService } from './service.ts'
import { noAddressLimit } from './no-address-limit.ts'

/** The settings under which each of the errors below can be triggered. */
export const everyErrorCaps = { CAP_PER_TX: '100', CAP_PER_PARTNER_DAY: '120', CAP_PER_USER_DAY: '60' }

const withId = { 'X-Request-Id': '00000000-0000-4000-8000-000000000001' }

/** Triggers every error of the contract, by its name there. Call them in this order. */
export function everyError({
  acme,
  globex,
  url,
  clock,
  operate,
}: TestService): Record<string, () => Promise<Answer>> {
  const award = (fields: AwardFields) => acme.award(fields, withId)
  const path = `${url}/v1/ep/webhook`
  return {
    'fields that break rules': () => award({ orderId: '', userEmail: 'ann', amount: '5000', total: 1 }),
    'a body that is not JSON': () => acme.awardBytes('{"tenantId":', withId),
    'parameters that break rules': () => acme.history('t1', '&limit=101&cursor=abc', withId),
    'a wrong method': () => send(path, { method: 'PUT', headers: withId }),
    'a body that is too large': () => acme.awardBytes('x'.repeat(65_537), withId),
    'another media type': () => acme.awardBytes('{}', { ...withId, 'Content-Type': 'text/plain' }),
    'a signature over another award': () =>
      acme.awardBytes('{"a":1}', { ...withId, ...acme.headers('{"a":2}') }),
    'a signature over another tenant': () => acme.history('t1', '', { ...withId, ...acme.headers('t2') }),
    'a clock that is an hour behind': () =>
      acme.history('t1', '', { ...withId, ...acme.headers('t1', String(clock.now() - 3_600_000)) }),
    'seconds instead of milliseconds': () =>
      acme.history('t1', '', { ...withId, ...acme.headers('t1', String(clock.now() / 1000)) }),
    'a timestamp that is no number': () =>
      acme.history('t1', '', { ...withId, ...acme.headers('t1', 'today') }),
    "another partner's tenant": () => award({ tenantId: 't9' }),
    'a path that does not exist': () => send(`${path}/`, { headers: withId }),
    'a known order with other values': async () => {
      await acme.award({ orderId: 'known', userEmail: 'ann@example.com', amount: 5000 })
      return award({ orderId: 'known', userEmail: 'ann@example.com', amount: 6000, note: 'x' })
    },
    'less than 1 EP': () => award({ amount: 999 }),
    'more than the cap per award': () => award({ amount: 101_000 }),
    'more than the day of the partner': async () => {
      await acme.award({ amount: 60_000 })
      return award({ amount: 60_000 })
    },
    'more than the day of the user': async () => {
      await globex.award({ userEmail: 'lan@example.com', amount: 60_000 })
      return award({ userEmail: 'lan@example.com', amount: 1000 })
    },
    'a suspended partner': async () => {
      await operate((operator) => suspendPartner(operator, 'globex'))
      return globex.award({}, withId)
    },
    'too many requests': async () => {
      await operate((operator) => setPartnerRate(operator, 'acme', 2))
      let answer = await acme.history('t1', '', withId)
      await eventually('the service notices the rate', async () => {
        answer = await acme.history('t1', '', withId)
        return answer.status === 429
      })
      return answer
    },
    'a bug of the service': () => failingListener(new Error('a bug')),
    'a store that is away': () => failingListener(new Unavailable('the store is away')),
  }
}

/** The listener of every handler, with a handler that fails: a healthy service has none. */
async function failingListener(fault: Error): Promise<Answer> {
  const listener = createHttpListener({
    name: 'failing',
    log: pino({ level: 'silent' }),
    ready: async () => [],
    readyGivesReasons: false,
    addressLimit: noAddressLimit,
  })
  listener.app.post('/failing', async () => {
    throw fault
  })
  const url = await listener.listen({ host: '127.0.0.1', port: 0 })
  try {
    const init = { method: 'POST', headers: withId, body: JSON.stringify(anAwardBody()) }
    return await send(`${url}/failing`, init)
  } finally {
    await listener.drain(0)
  }
}
