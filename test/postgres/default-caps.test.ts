import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { serve } from '../../src/serve.ts'
import { createClient } from '../support/client.ts'
import { startService } from '../support/service.ts'

test('nodes that were started with other caps give the same response to one order, and say that theirs are ignored', async (t) => {
  const first = await startService(t, { CAP_PER_TX: '10' }, { nodes: 1 })
  const log: string[] = []
  const other = await serve(
    { ...first.config, caps: { perTx: 5 } },
    { clock: first.clock, log: pino({ base: null }, { write: (line) => void log.push(line) }) },
  )
  t.after(() => other.stop())
  const nodes = [first.url, other.partnerUrl].map((url) => createClient(url, first.acme, first.clock))
  const answersTo = async (amount: number, orderId: string) => {
    const answers = []
    for (const node of nodes)
      answers.push(await node.award({ amount, orderId, userEmail: 'ann@example.com' }))
    return answers.map(({ status, body }) => [status, body.code, body.limit])
  }

  assert.deepEqual(await answersTo(11_000, 'above'), [
    [422, 'PER_TX_CAP_EXCEEDED', 10],
    [422, 'PER_TX_CAP_EXCEEDED', 10],
  ])
  assert.deepEqual(await answersTo(8000, 'below'), [
    [202, undefined, undefined],
    [200, 'DUPLICATE', undefined],
  ])
  const warning =
    "CAP_PER_TX=5 differs from the ledger's 10 and is ignored: partner-credit defaults caps --per-tx 5 changes it"
  assert.ok(log.some((line) => JSON.parse(line).msg === warning))
  assert.ok(!first.log.some((line) => line.includes('CAP_PER_TX')))

  await first.operate((operator) => setDefaultCaps(operator, { perTx: 7 }))
  assert.deepEqual(await answersTo(8000, 'changed'), [
    [422, 'PER_TX_CAP_EXCEEDED', 7],
    [422, 'PER_TX_CAP_EXCEEDED', 7],
  ])
})

test('of nodes that start at once on a new ledger, one sets the defaults, and all go by them', async (t) => {
  const { operate } = await startService(t, { CAP_PER_TX: '10' }, { nodes: 3 })
  const defaults = await operate((operator) => operator.store.defaultCaps())
  assert.equal(defaults.perTx, 10)
})
