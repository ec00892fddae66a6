import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { anAward } from '../../test/support/awards.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import { type BatchWriterLimits, createBatchWriter, defaultLimits } from './batch-writer.ts'
import { Unavailable } from './faults.ts'
import type { LedgerStore } from './ledger-store.ts'

/** A commit that waits for the test to end it. */
type HeldCommit = { orders: string[]; succeed(): Promise<void>; fail(fault: unknown): Promise<void> }

/** A ledger in memory whose lanes are the tenants and whose commits end when, and how, the test says. */
function createHeldStore(lanesMax = 1) {
  const commits: HeldCommit[] = []
  const running = new Set<string>()
  /** What was made durable, in that order. */
  const durable: string[] = []
  let runningMax = 0
  const laneOf = (command: AwardCommand) => (lanesMax === 1 ? 'all' : command.tenantId)
  const store: LedgerStore = {
    lanesMax,
    laneOf,
    commit(commands) {
      const [lane] = new Set(commands.map(laneOf)) as unknown as [string]
      assert.ok(
        commands.every((command) => laneOf(command) === lane),
        'a batch is of one lane',
      )
      assert.equal(running.has(lane), false, `the lane ${lane} commits twice at once`)
      running.add(lane)
      runningMax = Math.max(runningMax, running.size)
      const { promise, resolve, reject } = Promise.withResolvers<Outcome[]>()
      const orders = commands.map(({ orderId }) => orderId)
      commits.push({
        orders,
        async succeed() {
          durable.push(...orders)
          running.delete(lane)
          resolve(commands.map(creditedAs))
          await nextTurn()
        },
        async fail(fault) {
          running.delete(lane)
          reject(fault)
          await nextTurn()
        },
      })
      return promise
    },
    awardsBefore: async () => [],
    ready: async () => {},
    close: async () => {},
  }
  return { store, commits, durable, runningMax: () => runningMax }
}

function creditedAs({ epTransactionId, amount }: AwardCommand): Outcome {
  return { kind: 'credited', epTransactionId, points: amount, partnerDayRemaining: 0, dayResetsAt: 0 }
}

/** A writer on a held store, a clock and timers that move when the test says so, and what became of each award. */
function aWriter(
  test: TestContext,
  { lanesMax = 1, ...overrides }: Partial<BatchWriterLimits> & { lanesMax?: number } = {},
) {
  test.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = createTestClock()
  const held = createHeldStore(lanesMax)
  const writer = createBatchWriter(held.store, clock, { ...defaultLimits, ...overrides })
  const answers = new Map<string, Outcome | Error>()
  return {
    ...held,
    clock,
    writer,
    answers,
    /** Sends orders, one turn of the event loop for all of them, and notes their answers. */
    async send(orders: string[], overrides: Partial<AwardCommand> = {}): Promise<void> {
      for (const orderId of orders) {
        const command = anAward({ ...overrides, orderId, epTransactionId: `id-${orderId}` })
        writer.award(command).then(
          (outcome) => answers.set(orderId, outcome),
          (error: Error) => answers.set(orderId, error),
        )
      }
      await nextTurn()
    },
    /** The time goes by, for the clock and the timers alike. */
    async pass(ms: number): Promise<void> {
      clock.advance(ms)
      test.mock.timers.tick(ms)
      await nextTurn()
    },
    credited: () =>
      [...answers].filter(([, answer]) => !(answer instanceof Error)).map(([orderId]) => orderId),
    unavailable: () =>
      [...answers].filter(([, answer]) => answer instanceof Unavailable).map(([orderId]) => orderId),
  }
}

function orders(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
}

test('an idle service commits an award at once, without waiting for company', async (t) => {
  const { send, commits, credited } = aWriter(t)
  await send(['A1'])
  assert.deepEqual(commits[0]?.orders, ['A1'])
  assert.deepEqual(credited(), [])
  await commits[0]!.succeed()
  assert.deepEqual(credited(), ['A1'])
})

test('awards that arrive in one turn of the event loop share a commit', async (t) => {
  const { send, commits } = aWriter(t)
  await send(['A1', 'A2', 'A3'])
  assert.deepEqual(
    commits.map((commit) => commit.orders),
    [['A1', 'A2', 'A3']],
  )
})

test('awards that arrive during a commit are the next batch, which starts when it ends', async (t) => {
  const { send, commits } = aWriter(t)
  await send(['A1'])
  await send(['A2'])
  await send(['A3'])
  assert.equal(commits.length, 1)
  await commits[0]!.succeed()
  assert.equal(commits.length, 2)
  assert.deepEqual(commits[1]!.orders, ['A2', 'A3'])
})

test('nobody is answered before the commit of its batch has ended', async (t) => {
  const { send, commits, answers, credited } = aWriter(t)
  await send(['A1'])
  await send(['A2'])
  assert.equal(answers.size, 0)
  await commits[0]!.succeed()
  assert.deepEqual(credited(), ['A1'])
  await commits[1]!.succeed()
  assert.deepEqual(credited(), ['A1', 'A2'])
})

test('after a quiet time the next award is committed at once again', async (t) => {
  const { send, commits } = aWriter(t)
  for (const order of ['A1', 'A2', 'A3']) {
    await send([order])
    assert.deepEqual(commits.at(-1)!.orders, [order])
    await commits.at(-1)!.succeed()
  }
})

test('a batch takes no more than batchMax; the rest are the batches after it', async (t) => {
  const { send, commits, credited } = aWriter(t, { batchMax: 4 })
  await send(orders('A', 10))
  const sizes = [4, 4, 2]
  for (const [index, size] of sizes.entries()) {
    assert.equal(commits.length, index + 1)
    assert.equal(commits[index]!.orders.length, size)
    await commits[index]!.succeed()
  }
  assert.deepEqual(credited(), orders('A', 10))
  assert.equal(commits.length, 3)
})

test('each award gets its own outcome', async (t) => {
  const { writer, commits } = aWriter(t, { batchMax: 3 })
  const commands = orders('A', 7).map((orderId, index) =>
    anAward({ orderId, amount: 1000 + index, epTransactionId: `id-${orderId}` }),
  )
  const outcomes = Promise.all(commands.map((command) => writer.award(command)))
  await nextTurn()
  for (let index = 0; index < 3; index++) await commits[index]!.succeed()
  assert.deepEqual(await outcomes, commands.map(creditedAs))
})

test('a lane never has two commits at once, and lanes commit side by side up to lanesMax', async (t) => {
  const { send, commits, runningMax } = aWriter(t, { lanesMax: 2, batchMax: 2 })
  // The store itself refuses a second commit of a lane that is committing.
  await send(orders('A', 5), { tenantId: 't1' })
  await send(orders('B', 5), { tenantId: 't2' })
  await send(orders('C', 5), { tenantId: 't3' })
  assert.deepEqual(
    commits.map((commit) => commit.orders),
    [
      ['A1', 'A2'],
      ['B1', 'B2'],
    ],
  )
  for (let index = 0; index < 9; index++) await commits[index]!.succeed()
  assert.equal(commits.length, 9)
  assert.equal(runningMax(), 2)
})

test('a lane that waits for its turn gets it before one that has just had a batch', async (t) => {
  const { send, commits } = aWriter(t, { lanesMax: 2, batchMax: 1 })
  await send(['A1', 'A2'], { tenantId: 't1' })
  await send(['B1', 'B2'], { tenantId: 't2' })
  await send(['C1'], { tenantId: 't3' })
  await commits[0]!.succeed()
  assert.deepEqual(commits[2]!.orders, ['C1'])
})

test('a slow lane holds up only itself', async (t) => {
  const { send, commits, credited } = aWriter(t, { lanesMax: 2 })
  await send(['A1'], { tenantId: 't1' })
  await send(['A2'], { tenantId: 't1' })
  for (const order of ['B1', 'B2', 'B3']) {
    await send([order], { tenantId: 't2' })
    await commits.at(-1)!.succeed()
  }
  assert.deepEqual(credited(), ['B1', 'B2', 'B3'])
  await commits[0]!.succeed()
  assert.deepEqual(commits.at(-1)!.orders, ['A2'])
})

test('a commit that fails acknowledges nobody of its batch, is not tried again, and the next batch works', async (t) => {
  const { send, commits, answers, unavailable, credited } = aWriter(t)
  await send(['A1', 'A2'])
  await send(['A3'])
  await commits[0]!.fail(new Unavailable('the disk is full'))
  assert.deepEqual(unavailable(), ['A1', 'A2'])
  assert.match((answers.get('A1') as Error).message, /the disk is full/)
  assert.equal(commits.length, 2)
  assert.deepEqual(commits[1]!.orders, ['A3'])
  await commits[1]!.succeed()
  assert.deepEqual(credited(), ['A3'])
})

test('a bug that one command sets off does not harm the others: each is tried alone', async (t) => {
  const { send, commits, answers, credited } = aWriter(t)
  const bug = new TypeError('a bug')
  await send(['A1', 'bad', 'A2'])
  await commits[0]!.fail(bug)
  for (const [index, order] of ['A1', 'bad', 'A2'].entries()) {
    const alone = commits[index + 1]!
    assert.deepEqual(alone.orders, [order])
    await (order === 'bad' ? alone.fail(bug) : alone.succeed())
  }
  assert.deepEqual(credited(), ['A1', 'A2'])
  assert.equal(answers.get('bad'), bug)
  assert.equal(commits.length, 4)
})

test('a bug in a batch of one is answered once and not tried again; the next batch works', async (t) => {
  const { send, commits, answers, credited } = aWriter(t)
  const bug = new TypeError('a bug')
  await send(['bad'])
  await send(['A1'])
  await commits[0]!.fail(bug)
  assert.equal(answers.get('bad'), bug)
  await commits[1]!.succeed()
  assert.deepEqual(credited(), ['A1'])
  assert.equal(commits.length, 2)
})

test('while awards are tried alone after a bug, their lane takes no other batch', async (t) => {
  const { send, commits } = aWriter(t)
  await send(['A1', 'A2'])
  await send(['A3'])
  await commits[0]!.fail(new TypeError('a bug'))
  assert.deepEqual(commits[1]!.orders, ['A1'])
  await commits[1]!.succeed()
  assert.deepEqual(commits[2]!.orders, ['A2'])
  await commits[2]!.succeed()
  assert.deepEqual(commits[3]!.orders, ['A3'])
})

test('a store that goes away while awards are tried alone answers those with Unavailable', async (t) => {
  const { send, commits, unavailable, credited } = aWriter(t)
  await send(['A1', 'A2'])
  await commits[0]!.fail(new TypeError('a bug'))
  await commits[1]!.fail(new Unavailable('the disk is full'))
  await commits[2]!.succeed()
  assert.deepEqual(unavailable(), ['A1'])
  assert.deepEqual(credited(), ['A2'])
})

test('past queueMax an award is refused at once, and is never committed', async (t) => {
  const { send, commits, answers, unavailable, durable } = aWriter(t, { queueMax: 3, partnerQueueMax: 99 })
  await send(['A1'])
  await send(orders('B', 4))
  assert.deepEqual([...answers.keys()], ['B4'])
  assert.deepEqual(unavailable(), ['B4'])
  await commits[0]!.succeed()
  await commits[1]!.succeed()
  assert.deepEqual(durable, ['A1', 'B1', 'B2', 'B3'])
  assert.equal(commits.length, 2)
})

test('queueMax counts the awards that wait, over all lanes, not the ones being committed', async (t) => {
  const { send, unavailable } = aWriter(t, { lanesMax: 2, queueMax: 2 })
  await send(orders('A', 2), { tenantId: 't1' })
  await send(orders('B', 2), { tenantId: 't2' })
  assert.deepEqual(unavailable(), [])
  await send(['A3'], { tenantId: 't1' })
  await send(['B3'], { tenantId: 't2' })
  await send(['A4'], { tenantId: 't1' })
  assert.deepEqual(unavailable(), ['A4'])
})

test('past partnerQueueMax a partner is refused at once, while the others still get in', async (t) => {
  const { send, commits, unavailable, credited } = aWriter(t, { queueMax: 8, partnerQueueMax: 2 })
  await send(['first'])
  await send(orders('A', 4), { partnerId: 'acme' })
  await send(orders('G', 2), { partnerId: 'globex' })
  assert.deepEqual(unavailable(), ['A3', 'A4'])
  await commits[0]!.succeed()
  await commits[1]!.succeed()
  assert.deepEqual(new Set(credited()), new Set(['first', 'A1', 'A2', 'G1', 'G2']))
})

test('a partner’s share of the queue is one over all its lanes', async (t) => {
  const { send, unavailable } = aWriter(t, { lanesMax: 2, queueMax: 8, partnerQueueMax: 2 })
  for (const tenantId of ['t1', 't2', 't3', 't4']) await send([`first-${tenantId}`], { tenantId })
  // Two of the four commit, two wait: the partner's share is used up, in lanes of its own.
  await send(['more'], { tenantId: 't1' })
  await send(['other'], { tenantId: 't1', partnerId: 'globex' })
  assert.deepEqual(unavailable(), ['more'])
})

test('when the queue has been worked off there is room again, for the partner too', async (t) => {
  const { send, commits, unavailable, credited } = aWriter(t, { queueMax: 2, partnerQueueMax: 2 })
  for (let round = 0; round < 3; round++) {
    await send([`first-${round}`])
    await send([`a-${round}`, `b-${round}`, `refused-${round}`])
    await commits.at(-1)!.succeed()
    await commits.at(-1)!.succeed()
  }
  assert.deepEqual(unavailable(), ['refused-0', 'refused-1', 'refused-2'])
  assert.equal(credited().length, 9)
})

test('a flood of one partner delays another by at most one batch', async (t) => {
  const { send, commits } = aWriter(t, { batchMax: 4, partnerQueueMax: 1000 })
  await send(orders('flood', 500), { partnerId: 'acme' })
  await send(['G1'], { partnerId: 'globex' })
  assert.equal(commits.length, 1)
  await commits[0]!.succeed()
  assert.ok(commits[1]!.orders.includes('G1'))
  assert.equal(commits[1]!.orders.length, 4)
})

test('a waiting award past its deadline is answered Unavailable and never committed', async (t) => {
  const { send, commits, pass, unavailable, credited, durable } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(500)
  await send(['A2'])
  await send(['A3'])
  await pass(999)
  assert.deepEqual(unavailable(), ['A1'])
  await pass(1)
  assert.deepEqual(unavailable(), ['A1', 'A2', 'A3'])
  await commits[0]!.succeed()
  await send(['A4'])
  assert.deepEqual(commits.at(-1)!.orders, ['A4'])
  await commits.at(-1)!.succeed()
  assert.deepEqual(credited(), ['A4'])
  assert.deepEqual(durable, ['A1', 'A4'])
})

test('a committing award past its deadline is answered Unavailable, once, though its commit may yet succeed', async (t) => {
  const { send, commits, pass, unavailable, credited, durable } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(1000)
  assert.deepEqual(unavailable(), ['A1'])
  await commits[0]!.succeed()
  assert.deepEqual(unavailable(), ['A1'])
  assert.deepEqual(credited(), [])
  assert.deepEqual(durable, ['A1'])
})

test('deadlines are each award’s own: who came later is answered later', async (t) => {
  const { send, pass, unavailable } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(400)
  await send(['A2'])
  await pass(400)
  await send(['A3'])
  await pass(200)
  assert.deepEqual(unavailable(), ['A1'])
  await pass(400)
  assert.deepEqual(unavailable(), ['A1', 'A2'])
  await pass(400)
  assert.deepEqual(unavailable(), ['A1', 'A2', 'A3'])
})

test('a deadline is watched also when an earlier award was answered long ago', async (t) => {
  const { send, commits, pass, unavailable } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await commits[0]!.succeed()
  await pass(900)
  await send(['A2'])
  await pass(999)
  assert.deepEqual(unavailable(), [])
  await pass(1)
  assert.deepEqual(unavailable(), ['A2'])
})

test('an overdue award is not committed even if its timer is late', async (t) => {
  const { send, commits, clock, unavailable, durable } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2'])
  clock.advance(1000) // the clock, but no timer: the event loop was busy
  await commits[0]!.succeed()
  assert.deepEqual(unavailable(), ['A2'])
  assert.equal(commits.length, 1)
  assert.deepEqual(durable, ['A1'])
})

test('an award whose deadline passes while others are tried alone is not tried', async (t) => {
  const { send, commits, pass, unavailable, durable } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1', 'A2'])
  await commits[0]!.fail(new TypeError('a bug'))
  await pass(1000)
  await commits[1]!.succeed()
  assert.deepEqual(unavailable(), ['A1', 'A2'])
  assert.equal(commits.length, 2)
  assert.deepEqual(durable, ['A1'])
})

test('a jump of the wall clock answers nobody and rescues nobody', async (t) => {
  const { send, commits, clock, pass, answers, unavailable, credited } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2'])
  clock.set(clock.now() + 86_400_000)
  await send(['A3'])
  await pass(0)
  assert.equal(answers.size, 0)
  clock.set(clock.now() - 2 * 86_400_000)
  await commits[0]!.succeed()
  await commits[1]!.succeed()
  assert.deepEqual(credited(), ['A1', 'A2', 'A3'])
  await send(['A4'])
  clock.set(clock.now() - 86_400_000)
  await pass(1000)
  assert.deepEqual(unavailable(), ['A4'])
})

test('awards that expired in the queue leave their places to new ones', async (t) => {
  const { send, commits, pass, credited } = aWriter(t, { queueMax: 2, partnerQueueMax: 2, deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2', 'A3'])
  await pass(1000)
  await commits[0]!.succeed()
  await send(['A4', 'A5'])
  await commits.at(-1)!.succeed()
  assert.deepEqual(credited(), ['A4', 'A5'])
})

test('close resolves at once when there is nothing to do, and again when asked again', async (t) => {
  const { writer } = aWriter(t)
  await writer.close()
  await writer.close()
})

test('close lets accepted awards be answered, refuses new ones, and resolves when all is done', async (t) => {
  const { writer, send, commits, credited, unavailable } = aWriter(t)
  await send(['A1'])
  await send(['A2'])
  let closes = 0
  const closing = [writer.close(), writer.close()].map((close) => close.then(() => closes++))
  await send(['A3'])
  assert.deepEqual(unavailable(), ['A3'])
  await commits[0]!.succeed()
  assert.deepEqual(credited(), ['A1'])
  assert.equal(closes, 0)
  await commits[1]!.succeed()
  await Promise.all(closing)
  assert.deepEqual(credited(), ['A1', 'A2'])
  assert.equal(commits.length, 2)
})

test('close waits for every lane', async (t) => {
  const { writer, send, commits } = aWriter(t, { lanesMax: 2 })
  await send(['A1'], { tenantId: 't1' })
  await send(['B1'], { tenantId: 't2' })
  await send(['C1'], { tenantId: 't3' })
  let closed = false
  const closing = writer.close().then(() => {
    closed = true
  })
  for (const index of [0, 1, 2]) {
    assert.equal(closed, false)
    await commits[index]!.succeed()
  }
  await closing
})

test('close waits for a commit even when its awards have been answered by their deadline', async (t) => {
  const { writer, send, commits, pass } = aWriter(t, { deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2'])
  await pass(1000)
  let closed = false
  const closing = writer.close().then(() => {
    closed = true
  })
  await nextTurn()
  assert.equal(closed, false)
  await commits[0]!.succeed()
  await closing
  assert.equal(commits.length, 1)
})

test('close resolves also when the last commit fails', async (t) => {
  const { writer, send, commits, unavailable } = aWriter(t)
  await send(['A1'])
  const closing = writer.close()
  await commits[0]!.fail(new Unavailable('away'))
  await closing
  assert.deepEqual(unavailable(), ['A1'])
})
