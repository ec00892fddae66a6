import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { authenticate } from '../../src/access/authenticate.ts'
import type { Credentials } from '../../src/access/credentials.ts'
import { createKey, rotateKey } from '../../src/partners/create-key.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { type Client, createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { oneOf, type Random, randomFrom, seededRandom } from '../support/seeded-random.ts'
import { startService } from '../support/service.ts'
import { aNoon } from '../support/test-clock.ts'
import { kinds, payload, prepareAttempts } from './attempts.ts'
import { measure } from './measure.ts'
import { measureOverSocket } from './over-socket.ts'
import { plantedLeaks } from './planted-leaks.ts'
import { blockTimes, compare, isToldApart, moments, pairedT } from './compare.ts'

// No time is asserted here: `npm run timing` does that, on a machine that does nothing else.

test('t of the differences is the one worked out by hand', () => {
  assert.deepEqual(moments(Float64Array.of(1, 2, 3, 4)), { count: 4, mean: 2.5, variance: 5 / 3 })
  assert.equal(pairedT(Float64Array.of(1, 2, 3, 4)).toFixed(4), '3.8730') // 2.5 / √(5/3 / 4)
})

/** Times of about a microsecond, with an occasional pause of the machine. */
function someTimes(random: Random, leak = 0): Float64Array {
  const noise = () => random() + random() + random() - 1.5
  return Float64Array.from({ length: 20_000 }, () =>
    random() < 0.002 ? 1e6 * random() : 1000 + leak + 100 * noise(),
  )
}

test('a leak of a hundredth is seen through pauses in which the mean of all drowns', () => {
  const random = randomFrom(1)
  const leaking = compare(someTimes(random, 10), someTimes(random))
  assert.equal(isToldApart(leaking), true)
  assert.ok(Math.abs(leaking.ts.at(-1)!) < 2, 'all of them together do not tell')
  assert.equal(isToldApart(compare(someTimes(random), someTimes(random))), false)
})

/** Times of attempts that are each used several times in a block, some of them always faster than others. */
function timesOfAttempts(random: Random, leak = 0): Float64Array {
  const blocks = 100
  return Float64Array.from(
    Array.from({ length: blocks }).flatMap(() => {
      const attempts = Array.from({ length: 16 }, () => 1000 + leak + 400 * random())
      return Array.from({ length: blockTimes }, () => oneOf(random, attempts) + 10 * random())
    }),
  )
}

test('times that depend on the attempt tell nothing apart by themselves, and do not hide a leak', () => {
  const random = randomFrom(1)
  const isTold = (leak: number) =>
    isToldApart(compare(timesOfAttempts(random, leak), timesOfAttempts(random)))
  assert.equal(Array.from({ length: 30 }, () => isTold(0)).filter(Boolean).length, 0)
  assert.equal(isTold(50), true)
})

test('every kind of attempt has the same form and the same answer', async (t) => {
  const { keys, draw } = await prepareAttempts(seededRandom(t), 20)
  const attempts = draw()
  for (const kind of kinds) {
    for (const headers of attempts[kind]) {
      const lengths = Object.values(headers).map((values) => values!.map(({ length }) => length))
      assert.deepEqual(lengths, [[28], [13], [64]])
      assert.deepEqual(authenticate(headers, payload, { keys, now: aNoon, windowMs: 300_000 }), {
        ok: false,
        refusal: { code: 'INVALID_SIGNATURE' },
      })
    }
  }
})

test('every kind is measured equally often: over a socket, and at the planted leaks', async (t) => {
  const schedule = { rounds: 30, random: seededRandom(t), keysOfAKind: 20 }
  const measured = [
    await measureOverSocket(t, schedule),
    await measureOverSocket(t, { ...schedule, ageMs: 301_000 }),
  ]
  for (const { open } of plantedLeaks) measured.push(await measure(open, schedule))
  for (const times of measured) {
    for (const kind of kinds) assert.equal(times[kind].filter((time) => time > 0).length, 30)
  }
})

test('an attempt that is let in ends the measurement', async (t) => {
  const schedule = { rounds: 1, random: seededRandom(t), keysOfAKind: 20 }
  await assert.rejects(
    measure(() => () => true, schedule),
    /was let in/,
  )
})

test('an unknown key, a wrong secret, a revoked and an expired key get the same response, word for word', async () => {
  const { acme, url, clock, config, operate } = await startService({ after })
  const client = (credentials: Credentials) => createClient(url, credentials, clock)
  const key = (partnerId: string) => operate((operator) => createKey(operator, partnerId, config.masterKey!))
  const [revoked, expired] = [await key('acme'), await key('globex')]
  const bothGet = async (status: number) => {
    const answers = await Promise.all([revoked, expired].map((one) => client(one).history('t1')))
    return answers.every((answer) => answer.status === status)
  }
  await eventually('they are known', () => bothGet(200))
  await operate((operator) => revokeKey(operator, revoked.keyId))
  await operate((operator) => rotateKey(operator, 'globex', 1, config.masterKey!))
  clock.advance(1)
  await eventually('they are known no more', () => bothGet(401))

  const refused = [
    client({ ...acme, apiKey: `${acme.apiKey.slice(0, -1)}!` }),
    client({ ...acme, signingSecret: 'pcs_other' }),
    client(revoked),
    client(expired),
  ]
  const award = (one: Client) => one.awardBytes(payload)
  const history = (one: Client) => one.history('t1')
  for (const ask of [award, history]) {
    const [first, ...others] = (await Promise.all(refused.map(ask))).map(comparable)
    assert.equal(first!.status, 401)
    for (const other of others) assert.deepEqual(other, first)
  }
})

/** Without what differs between any two responses: their id and their date. */
function comparable({ status, headers, body }: Awaited<ReturnType<Client['history']>>) {
  const { date, 'x-request-id': requestId, ...others } = Object.fromEntries(headers)
  return { status, headers: others, body: { ...body, requestId: null } }
}
