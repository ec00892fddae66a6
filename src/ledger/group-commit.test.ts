import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { anAward } from '../../test/support/awards.ts'
import { aGroupCommit, creditedAs, orders } from '../../test/support/held-commits.ts'
import { DamagedRows, Unavailable } from './errors.ts'

test('an idle service commits an award at once, without waiting for company', async (t) => {
  const { send, commits, credited } = aGroupCommit(t)
  await send(['A1'])
  assert.deepEqual(commits[0]?.orders, ['A1'])
  assert.deepEqual(credited(), [])
  await commits[0]!.succeed()
  assert.deepEqual(credited(), ['A1'])
})

test('awards that arrive in one turn of the event loop share a commit', async (t) => {
  const { send, commits } = aGroupCommit(t)
  await send(['A1', 'A2', 'A3'])
  assert.deepEqual(
    commits.map((commit) => commit.orders),
    [['A1', 'A2', 'A3']],
  )
})

test('awards that arrive during a commit are the next batch, which starts when it ends', async (t) => {
  const { send, commits } = aGroupCommit(t)
  await send(['A1'])
  await send(['A2'])
  await send(['A3'])
  assert.equal(commits.length, 1)
  await commits[0]!.succeed()
  assert.equal(commits.length, 2)
  assert.deepEqual(commits[1]!.orders, ['A2', 'A3'])
})

test('no award gets its response before the commit of its batch has ended', async (t) => {
  const { send, commits, answers, credited } = aGroupCommit(t)
  await send(['A1'])
  await send(['A2'])
  assert.equal(answers.size, 0)
  await commits[0]!.succeed()
  assert.deepEqual(credited(), ['A1'])
  await commits[1]!.succeed()
  assert.deepEqual(credited(), ['A1', 'A2'])
})

test('after a quiet time the next award is committed at once again', async (t) => {
  const { send, commits } = aGroupCommit(t)
  for (const order of ['A1', 'A2', 'A3']) {
    await send([order])
    assert.deepEqual(commits.at(-1)!.orders, [order])
    await commits.at(-1)!.succeed()
  }
})

test('a batch takes no more than batchMax; the rest are the batches after it', async (t) => {
  const { send, commits, credited } = aGroupCommit(t, { batchMax: 4 })
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
  const { ledger, commits } = aGroupCommit(t, { batchMax: 3 })
  const commands = orders('A', 7).map((orderId, index) =>
    anAward({ orderId, amount: 1000 + index, epTransactionId: `id-${orderId}` }),
  )
  const outcomes = Promise.all(commands.map((command) => ledger.award(command)))
  await nextTurn()
  for (let index = 0; index < 3; index++) await commits[index]!.succeed()
  assert.deepEqual(await outcomes, commands.map(creditedAs))
})

test('a lane never has two commits at once, and lanes commit side by side up to commitsMax', async (t) => {
  const { send, commits, runningMax } = aGroupCommit(t, { commitsMax: 2, batchMax: 2 })
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
  const { send, commits } = aGroupCommit(t, { commitsMax: 2, batchMax: 1 })
  await send(['A1', 'A2'], { tenantId: 't1' })
  await send(['B1', 'B2'], { tenantId: 't2' })
  await send(['C1'], { tenantId: 't3' })
  await commits[0]!.succeed()
  assert.deepEqual(commits[2]!.orders, ['C1'])
})

test('a slow lane holds up only itself', async (t) => {
  const { send, commits, credited } = aGroupCommit(t, { commitsMax: 2 })
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

test('a commit that fails acknowledges no award of its batch, is not retried, and the next batch works', async (t) => {
  const { send, commits, answers, unavailable, credited } = aGroupCommit(t)
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
  const { send, commits, answers, credited } = aGroupCommit(t)
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

test('rows that are damaged for one award do not harm the others: each is tried alone', async (t) => {
  const { send, commits, unavailable, credited } = aGroupCommit(t)
  await send(['A1', 'bad', 'A2'])
  await commits[0]!.fail(new DamagedRows('damaged'))
  await commits[1]!.succeed()
  await commits[2]!.fail(new DamagedRows('damaged'))
  await commits[3]!.succeed()
  assert.deepEqual(credited(), ['A1', 'A2'])
  assert.deepEqual(unavailable(), ['bad'])
  assert.equal(commits.length, 4)
})

test('a bug in a batch of one is reported once and not retried; the next batch works', async (t) => {
  const { send, commits, answers, credited } = aGroupCommit(t)
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
  const { send, commits } = aGroupCommit(t)
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
  const { send, commits, unavailable, credited } = aGroupCommit(t)
  await send(['A1', 'A2'])
  await commits[0]!.fail(new TypeError('a bug'))
  await commits[1]!.fail(new Unavailable('the disk is full'))
  await commits[2]!.succeed()
  assert.deepEqual(unavailable(), ['A1'])
  assert.deepEqual(credited(), ['A2'])
})

test('past queueMax an award is refused at once, and is never committed', async (t) => {
  const { send, commits, answers, unavailable, durable } = aGroupCommit(t, {
    queueMax: 3,
    partnerQueueMax: 99,
  })
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
  const { send, unavailable } = aGroupCommit(t, { commitsMax: 2, queueMax: 2 })
  await send(orders('A', 2), { tenantId: 't1' })
  await send(orders('B', 2), { tenantId: 't2' })
  assert.deepEqual(unavailable(), [])
  await send(['A3'], { tenantId: 't1' })
  await send(['B3'], { tenantId: 't2' })
  await send(['A4'], { tenantId: 't1' })
  assert.deepEqual(unavailable(), ['A4'])
})

test('past partnerQueueMax a partner is refused at once, while the others still get in', async (t) => {
  const { send, commits, unavailable, credited } = aGroupCommit(t, { queueMax: 8, partnerQueueMax: 2 })
  await send(['first'])
  await send(orders('A', 4), { partnerId: 'acme' })
  await send(orders('G', 2), { partnerId: 'globex' })
  assert.deepEqual(unavailable(), ['A3', 'A4'])
  await commits[0]!.succeed()
  await commits[1]!.succeed()
  assert.deepEqual(new Set(credited()), new Set(['first', 'A1', 'A2', 'G1', 'G2']))
})

test('a partner’s share of the queue is one over all its lanes', async (t) => {
  const { send, unavailable } = aGroupCommit(t, { commitsMax: 2, queueMax: 8, partnerQueueMax: 2 })
  for (const tenantId of ['t1', 't2', 't3', 't4']) await send([`first-${tenantId}`], { tenantId })
  // Two of the four commit, two wait: the partner's share is used up, in lanes of its own.
  await send(['more'], { tenantId: 't1' })
  await send(['other'], { tenantId: 't1', partnerId: 'globex' })
  assert.deepEqual(unavailable(), ['more'])
})

test('when the queue has been processed there is room again, for the partner too', async (t) => {
  const { send, commits, unavailable, credited } = aGroupCommit(t, { queueMax: 2, partnerQueueMax: 2 })
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
  const { send, commits } = aGroupCommit(t, { batchMax: 4, partnerQueueMax: 1000 })
  await send(orders('flood', 500), { partnerId: 'acme' })
  await send(['G1'], { partnerId: 'globex' })
  assert.equal(commits.length, 1)
  await commits[0]!.succeed()
  assert.ok(commits[1]!.orders.includes('G1'))
  assert.equal(commits[1]!.orders.length, 4)
})
