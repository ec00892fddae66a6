import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { readConfig } from '../../../config.ts'
import { commandAnswerMaxMs } from '../../../stores/postgres/open.ts'
import { accountsWaitMaxMs } from '../../../stores/postgres/pass-accounts.ts'
import { createApiThread, ThreadBusy, ThreadFailed, usualLimits } from './api-thread.ts'

const working = new URL('../../../../test/support/failing-api-thread.ts', import.meta.url)

function aThread(t: TestContext, limits = {}, program = working) {
  const log: string[] = []
  const clock = createTestClock()
  const thread = createApiThread({
    config: readConfig({}),
    clock,
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
    readings: async () => ({
      startedAt: 0,
      awardMs: { upTo: [], count: 0 },
      minutes: [],
      verifiedAt: null,
      notSoundAt: null,
      clockDifferenceMs: null,
      warnings: [],
    }),
    program,
    limits,
  })
  t.after(() => thread.close())
  const ask = async (url: string) => {
    const request = { method: 'GET', url, headers: {}, body: null, address: null, requestId: 'r', now: 0 }
    return Buffer.from((await thread.ask(request)).body).toString()
  }
  return { ask, clock, log, thread }
}

for (const how of ['/ends', '/fails']) {
  test(`a thread that ${how.slice(1)} fails its requests, is logged, and is started again a second later`, async (t) => {
    const { ask, clock, log } = aThread(t)
    assert.equal(await ask('/first'), '/first')
    const beside = assert.rejects(ask('/never'), ThreadFailed)
    await assert.rejects(ask(how), ThreadFailed)
    await beside
    assert.match(log.join(''), /the thread of the operator API ended/)
    await assert.rejects(ask('/at-once'), ThreadBusy)
    clock.advance(1_000)
    assert.equal(await ask('/again'), '/again')
  })
}

test('a change that waits for an account gets the response that says so, before the request is given up', () => {
  assert.ok(usualLimits.deadlineMs > commandAnswerMaxMs + accountsWaitMaxMs)
})

test('a request for which no thread can be started takes no place', async (t) => {
  // Node starts no thread of it, and says so at once, as at a limit of threads.
  const program = new URL('https://example.com/')
  const { ask } = aThread(t, { strangersPerAddressMax: 1, restartMs: 0 }, program)
  await assert.rejects(ask('/first'), /cannot be started/)
  await assert.rejects(ask('/second'), /cannot be started/)
  program.href = working.href
  assert.equal(await ask('/third'), '/third')
})

test('beyond the limit of requests in flight, a request is refused at once', async (t) => {
  const { ask } = aThread(t, { inFlightMax: 2 })
  const waiting = ['/never', '/never'].map((url) => ask(url).catch((error: Error) => error))
  await assert.rejects(ask('/third'), ThreadBusy)
  await assert.rejects(ask('/third'), /too many requests/)
  void waiting
})

test('a request without a response fails at its deadline, and counts until the thread has done it', async (t) => {
  const { ask } = aThread(t, { inFlightMax: 1, deadlineMs: 20 })
  await assert.rejects(ask('/never'), ThreadFailed)
  await assert.rejects(ask('/next'), ThreadBusy)
})

test('a thread that is full of requests without a response is ended, and another one is started', async (t) => {
  const { ask, clock } = aThread(t, { inFlightMax: 1, deadlineMs: 60_000, restartMs: 0 })
  const stuck = assert.rejects(ask('/never'), ThreadFailed)
  clock.advance(120_001)
  await assert.rejects(ask('/next'), /too many requests/)
  await stuck
  assert.equal(await ask('/again'), '/again')
})

test('a closed thread takes no requests, and one that was never used closes at once', async (t) => {
  const { ask, thread } = aThread(t)
  await thread.close()
  await assert.rejects(ask('/late'), /shutting down/)
})
