import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { JournalBatch, JournalWriter } from './journal-batch.ts'
import { createJournal, type JournalEntry } from './journal.ts'
import { newJournalKey } from './journal-key.ts'

const masterKey = randomBytes(32)
const seen = { endpoint: 'award', partnerId: 'acme', tenantId: 't1', detail: '' } as const
const credited = { ...seen, code: 'CREDITED', points: 5, refusal: null } as const
const code = 'DAILY_CAP_EXCEEDED'
const refusal = { code, cap: 'perUserDay', limit: 8, requested: 5, used: null, requestId: 'r1' } as const
const refused = {
  ...seen,
  code,
  points: 5,
  refusal: { ...refusal, keyId: 'key_1', orderId: 'order-1' },
} as const

type Seen = Omit<Parameters<JournalEntry['saw']>[0], 'at'>
type Store = { isAway: boolean; key: Uint8Array | null; attempts: JournalBatch[]; written: JournalBatch[] }

/** A store that is away whenever the test says so, and which notes every attempt. */
function aWriter(storedKey: Uint8Array | null = null) {
  const store: Store = { isAway: false, key: storedKey, attempts: [], written: [] }
  const writer: JournalWriter = {
    async storedKey(ours, { replace } = { replace: false }) {
      if (store.isAway) throw new Error('away')
      store.key = replace || store.key === null ? ours : store.key
      return store.key
    },
    async write(batch) {
      store.attempts.push(structuredClone(batch))
      if (store.isAway) throw new Error('away')
      store.written.push(batch)
    },
    close: async () => {},
  }
  return { store, writer }
}

function aJournal(t: TestContext, { storedKey = null as Uint8Array | null, keepsRefusals = true } = {}) {
  const { store, writer } = aWriter(storedKey)
  const clock = createTestClock()
  const changes: string[] = []
  const journal = createJournal({
    writer,
    masterKey,
    clock,
    node: 'node-1',
    keepsRefusals,
    tenantExists: (tenantId) => tenantId === 't1',
    onChange: (failure) => changes.push(failure === null ? 'works' : 'fails'),
    writeEveryMs: 2,
  })
  t.after(() => journal.close())
  const responses = () =>
    store.written.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count.responses, 0)
  const saw = (response: Seen) => journal.saw({ at: clock.now(), ...response })
  return { store, clock, changes, journal, saw, responses }
}

test('a batch that failed is written again, unchanged and with its number, before the next one', async (t) => {
  const { store, changes, journal, saw, responses } = aJournal(t)
  await eventually('the key is stored', () => store.key !== null)
  store.isAway = true
  saw(credited)
  await eventually('three attempts', () => store.attempts.length >= 3)
  saw(credited)
  saw(refused)
  const failed = store.attempts.length
  store.isAway = false
  await eventually('all is written', () => responses() === 3)
  for (const attempt of store.attempts.slice(0, failed)) deepEqual(attempt, store.attempts[0])
  deepEqual(
    store.written.map(({ number }) => number),
    [1, 2],
  )
  deepEqual(changes, ['fails', 'works'])
  deepEqual(journal.measured().dropped, { responses: 0, refusals: 0 })
})

test('while the store is away for hours, memory is bounded, and what is dropped is counted', async (t) => {
  const { store, clock, journal, saw, responses } = aJournal(t)
  await eventually('the key is stored', () => store.key !== null)
  store.isAway = true
  const minutes = 120
  for (let minute = 0; minute < minutes; minute++) {
    saw(credited)
    clock.advance(60_000)
    const failed = journal.measured().failedWrites
    await eventually('an attempt', () => journal.measured().failedWrites > failed)
  }
  store.isAway = false
  await eventually('the rest is written', () => {
    const { dropped } = journal.measured()
    return responses() + dropped.responses === minutes
  })
  const { dropped } = journal.measured()
  ok(dropped.responses >= minutes - 12, `dropped ${dropped.responses}`)
  ok(store.written.length <= 3)
})

test('refusals that wait are bounded; all are counted', async (t) => {
  const { store, journal, saw, responses } = aJournal(t)
  store.isAway = true
  const partners = 10
  for (let partner = 0; partner < partners; partner++)
    for (let number = 0; number < 500; number++) saw({ ...refused, partnerId: `partner-${partner}` })
  store.isAway = false
  await eventually('all is written', () => responses() === partners * 500)
  const kept = store.written.reduce((sum, { refusals }) => sum + refusals.length, 0)
  equal(kept, 2_000)
  equal(journal.measured().dropped.refusals, partners * 500 - kept)
})

test('what one response adds to the EP of its count is bounded: a refused order may name any amount', async (t) => {
  const { store, saw, responses } = aJournal(t)
  for (let number = 0; number < 1_001; number++) saw({ ...refused, points: 9_007_199_254_740 })
  await eventually('all is written', () => responses() === 1_001)
  const points = store.written.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count.points, 0)
  equal(points, 1_001 * 1_000_000_000)
})

test('what the caller chose freely is not kept: an unknown tenant, a key that is nobody’s, the orderId', async (t) => {
  const { store, saw, responses } = aJournal(t)
  saw({ ...refused, tenantId: 'made-up-tenant', partnerId: undefined })
  await eventually('it is written', () => responses() === 1)
  const [batch] = store.written
  deepEqual(
    [batch?.counts[0]?.partnerId, batch?.counts[0]?.tenantId, batch?.refusals[0]?.tenantId],
    ['(unknown)', '(unknown)', '(unknown)'],
  )
  ok(!/made-up-tenant|order-1/.test(JSON.stringify(batch)))
})

test('single refusals can be turned off; they are still counted', async (t) => {
  const { store, saw, responses } = aJournal(t, { keepsRefusals: false })
  saw(refused)
  await eventually('it is written', () => responses() === 1)
  deepEqual(store.written[0]?.refusals, [])
})

test("a key's clock difference is the smallest one of its requests: some have waited on their way", async (t) => {
  const { store, clock, journal } = aJournal(t)
  const by = { keyId: 'key_1', partnerId: 'acme' }
  for (const difference of [-4_000, -61_000, -900, -2_000])
    journal.keyUsed({ by, at: clock.now(), clockDifferenceMs: difference })
  await eventually('it is written', () => store.written.length > 0)
  deepEqual(store.written[0]?.keyUses, [
    { keyId: 'key_1', partnerId: 'acme', at: clock.now(), clockDifferenceMs: -900 },
  ])
})

test('a key that was sealed by another master key is replaced', async (t) => {
  const foreign = newJournalKey(randomBytes(32))
  const { store, saw, responses } = aJournal(t, { storedKey: foreign })
  saw(refused)
  await eventually('it is written', () => responses() === 1)
  ok(store.key !== null && Buffer.compare(store.key, foreign) !== 0)
})

test('closing writes what is left', async (t) => {
  const { store, journal, saw, responses } = aJournal(t)
  await eventually('the key is stored', () => store.key !== null)
  saw(credited)
  await journal.close()
  equal(responses(), 1)
})

test('a clock that is set ahead for a moment does not make the whole journal old', async (t) => {
  const { store, clock, saw, responses } = aJournal(t)
  const start = clock.now()
  clock.advance(1_000)
  clock.set(start + 400 * 86_400_000)
  saw(credited)
  await eventually('it is written', () => responses() === 1)
  equal(store.written[0]!.at, start + 1_000)
})
