import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { aGroupCommit, orders } from '../../test/support/held-commits.ts'
import { LockTimeout, Unavailable } from './errors.ts'

const lockTimeout = new LockTimeout('another transaction holds a lock')

/** One commit at a time of up to three lanes, and two places for lanes that are alone. */
const together = { commitsMax: 1, lanesPerCommit: 3 }

/** While the first award commits, one of each lane arrives: the next commit holds them all. */
async function aCommitOfThree(writer: ReturnType<typeof aGroupCommit>) {
  const { send, commits } = writer
  await send(['first'], { tenantId: 't0' })
  for (const lane of ['1', '2', '3']) await send([`L${lane}`], { tenantId: `t${lane}` })
  await commits[0]!.succeed()
  deepEqual(commits[1]!.orders, ['L1', 'L2', 'L3'])
  return commits[1]!
}

const ordersOf = ({ commits }: ReturnType<typeof aGroupCommit>, from = 0) =>
  commits.slice(from).map((commit) => commit.orders)

test('lanes that became ready during a commit share the next one, up to lanesPerCommit', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits, credited } = writer
  await send(['first'], { tenantId: 't0' })
  for (const lane of ['1', '2', '3', '4']) await send([`L${lane}`, `M${lane}`], { tenantId: `t${lane}` })
  await commits[0]!.succeed()
  await commits[1]!.succeed()
  await commits[2]!.succeed()
  deepEqual(ordersOf(writer), [['first'], ['L1', 'M1', 'L2', 'M2', 'L3', 'M3'], ['L4', 'M4']])
  equal(credited().length, 9)
})

test('lanes of one turn of the event loop share a commit', async (t) => {
  const writer = aGroupCommit(t, { ...together, commitsMax: 4 })
  await Promise.all([writer.send(['A'], { tenantId: 't1' }), writer.send(['B'], { tenantId: 't2' })])
  deepEqual(ordersOf(writer), [['A', 'B']])
})

test('a commit of several lanes takes a fair share of each, and a flooded lane only what is left', async (t) => {
  const writer = aGroupCommit(t, { ...together, batchMax: 6 })
  const { send, commits } = writer
  await send(['first'], { tenantId: 't0' })
  await send(['A1'], { tenantId: 't1' })
  await send(orders('B', 9), { tenantId: 't2' })
  await send(['C1'], { tenantId: 't3' })
  await commits[0]!.succeed()
  deepEqual(commits[1]!.orders, ['A1', 'B1', 'B2', 'C1'])
  await commits[1]!.succeed()
  deepEqual(commits[2]!.orders, ['B3', 'B4', 'B5', 'B6', 'B7', 'B8'])
})

test('a commit of several lanes that has a lock timeout is taken apart: each lane is tried alone', async (t) => {
  const writer = aGroupCommit(t, together)
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  const { commits, credited, unavailable } = writer
  deepEqual(ordersOf(writer, 2), [['L1'], ['L2']], 'two places for lanes that are alone')
  await commits[3]!.succeed()
  deepEqual(commits[4]!.orders, ['L3'])
  await commits[4]!.succeed()
  deepEqual(credited(), ['first', 'L2', 'L3'])
  await commits[2]!.fail(new Unavailable('the database failed'))
  deepEqual(unavailable(), ['L1'])
  equal(commits.length, 5)
})

test('a lane that was taken out of a shared commit waits for locks briefly at first, and long if that fails', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits, credited } = writer
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  await send(['next1'], { tenantId: 't1' })
  await commits[2]!.fail(lockTimeout)
  await commits[3]!.succeed()
  await commits[5]!.succeed()
  deepEqual(
    commits.map(({ orders, lockWait }) => `${orders} ${lockWait}`),
    ['first short', 'L1,L2,L3 short', 'L1 brief', 'L2 brief', 'L1,next1 long', 'L3 brief'],
    'its turn comes before those that have not been tried: there may always be some',
  )
  await commits[4]!.succeed()
  deepEqual(credited(), ['first', 'L2', 'L3', 'L1', 'next1'])
})

test('however many lanes are locked, the others of their commit are credited within their deadline', async (t) => {
  const writer = aGroupCommit(t, { ...together, lanesPerCommit: 40 })
  const { send, pass, commits, credited, unavailable } = writer
  const waitMs = { brief: 50, short: 1200, long: 2800 }
  const locked = orders('locked', 30)
  const free = orders('free', 10)
  await send(['first'], { tenantId: 't0' })
  for (const order of [...locked, ...free]) await send([order], { tenantId: order })
  await commits[0]!.succeed()
  const began = new Map<unknown, number>()
  const ended = new Set<unknown>([commits[0]])
  for (let now = 0; now < 10_000; now += 50) {
    for (let index = 0; index < commits.length; index++) {
      const commit = commits[index]!
      if (ended.has(commit)) continue
      if (!began.has(commit)) began.set(commit, now)
      const isLocked = commit.orders.some((order) => order.startsWith('locked'))
      if (isLocked && now - began.get(commit)! < waitMs[commit.lockWait!]) continue
      ended.add(commit)
      if (!isLocked) await commit.succeed()
      else await commit.fail(commit.lockWait === 'long' ? new Unavailable('locked') : lockTimeout)
    }
    await pass(50)
  }
  deepEqual(new Set(credited()), new Set(['first', ...free]))
  deepEqual(new Set(unavailable()), new Set(locked))
})

test('lanes that are known to be locked leave places to those that are not', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits } = writer
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  for (const index of [2, 3, 5]) await commits[index]!.fail(lockTimeout)
  deepEqual(ordersOf(writer, 4), [['L1'], ['L3']], 'one of two places')
  await send(['other'], { tenantId: 't9' })
  await commits[6]!.fail(lockTimeout)
  deepEqual(ordersOf(writer, 6), [['other'], ['other']], 'the second time alone')
  await commits[7]!.succeed()
  await commits[4]!.succeed()
  deepEqual(ordersOf(writer, 8), [['L2']])
})

test('a lane that was locked when its last award was answered begins alone, until it has got through', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits } = writer
  await send(['A1'], { tenantId: 't1' })
  await commits[0]!.fail(lockTimeout)
  await commits[1]!.fail(lockTimeout)
  await commits[2]!.fail(new Unavailable('locked'))
  for (const order of ['A2', 'A3']) {
    await send([order], { tenantId: 't1' })
    await commits.at(-1)!.succeed()
  }
  deepEqual(
    commits.map(({ orders, lockWait }) => `${orders} ${lockWait}`),
    ['A1 short', 'A1 brief', 'A1 long', 'A2 brief', 'A3 short'],
  )
})

test('so does one whose awards were never tried again', async (t) => {
  const writer = aGroupCommit(t, { ...together, deadlineMs: 1000 })
  const { send, pass, commits } = writer
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  for (const index of [2, 3, 5]) await commits[index]!.fail(lockTimeout)
  await pass(1000)
  await commits[4]!.fail(new Unavailable('locked'))
  await send(['again3'], { tenantId: 't3' })
  equal(commits.length, 7)
  deepEqual([commits[6]!.orders, commits[6]!.lockWait], [['again3'], 'brief'])
})

test('partners take turns also for the places of lanes that are alone', async (t) => {
  const writer = aGroupCommit(t, { ...together, lanesPerCommit: 9 })
  const { send, commits } = writer
  await send(['first'], { tenantId: 't0' })
  for (const order of orders('L', 6)) await send([order], { tenantId: order })
  await send(['other'], { tenantId: 'other', partnerId: 'other' })
  await commits[0]!.succeed()
  await commits[1]!.fail(lockTimeout)
  deepEqual(ordersOf(writer, 2), [['L1'], ['other']])
})

test('lanes that are alone take no place of the others', async (t) => {
  const writer = aGroupCommit(t, together)
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  await writer.send(['other'], { tenantId: 't9' })
  deepEqual(writer.commits.at(-1)!.orders, ['other'])
})

test('a lane stays alone until it has got through, and keeps its order', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits } = writer
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  await send(['next1'], { tenantId: 't1' })
  await commits[2]!.fail(new Unavailable('the database failed'))
  await commits[3]!.succeed()
  deepEqual(ordersOf(writer, 4), [['L3'], ['next1']])
  await send(['again1'], { tenantId: 't1' })
  await commits[5]!.succeed()
  deepEqual(commits[6]!.orders, ['again1'])
  equal(commits[6]!.lockWait, 'short')
})

test('a single lane that has a lock timeout leaves its place to the others', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits, credited } = writer
  await send(['stuck'], { tenantId: 't1' })
  await send(['other'], { tenantId: 't2' })
  await commits[0]!.fail(lockTimeout)
  deepEqual(ordersOf(writer, 1), [['stuck'], ['other']])
  await commits[2]!.succeed()
  deepEqual(credited(), ['other'])
})

test('a bug in one of several lanes harms neither the others nor the other awards of its lane', async (t) => {
  const writer = aGroupCommit(t, together)
  const { send, commits, answers, credited } = writer
  const bug = new TypeError('a bug')
  await send(['first'], { tenantId: 't0' })
  await send(['A1', 'bad'], { tenantId: 't1' })
  await send(['B1'], { tenantId: 't2' })
  await commits[0]!.succeed()
  await commits[1]!.fail(bug)
  deepEqual(ordersOf(writer, 2), [['A1', 'bad'], ['B1']])
  await commits[3]!.succeed()
  await commits[2]!.fail(bug)
  await commits[4]!.succeed()
  await commits[5]!.fail(bug)
  deepEqual(ordersOf(writer, 4), [['A1'], ['bad']])
  deepEqual(credited(), ['first', 'B1', 'A1'])
  equal(answers.get('bad'), bug)
})

test('a commit of several lanes whose outcome is not known is reported as such and not retried', async (t) => {
  const writer = aGroupCommit(t, together)
  await (await aCommitOfThree(writer)).fail(new Unavailable('the outcome of the commit is not known'))
  deepEqual(writer.unavailable(), ['L1', 'L2', 'L3'])
  equal(writer.commits.length, 2)
})

test('an award whose deadline passes before its lane is tried alone is never committed', async (t) => {
  const writer = aGroupCommit(t, { ...together, deadlineMs: 1000 })
  const commit = await aCommitOfThree(writer)
  await writer.pass(1000)
  await commit.fail(lockTimeout)
  deepEqual(writer.unavailable(), ['L1', 'L2', 'L3'])
  deepEqual(writer.durable, ['first'])
  equal(writer.commits.length, 2)
})

test('closing waits for lanes that are alone', async (t) => {
  const writer = aGroupCommit(t, together)
  await (await aCommitOfThree(writer)).fail(lockTimeout)
  let closed = false
  const closing = writer.ledger.close().then(() => {
    closed = true
  })
  for (const index of [2, 3]) await writer.commits[index]!.succeed()
  equal(closed, false)
  await writer.commits[4]!.succeed()
  await closing
  deepEqual(writer.credited(), ['first', 'L1', 'L2', 'L3'])
})

test('a commit takes lanes of one group, and groups take turns', async (t) => {
  const groupOf = ({ tenantId }: { tenantId: string }) => (tenantId < 't5' ? 'low' : 'high')
  const writer = aGroupCommit(t, { ...together, lanesPerCommit: 2, groupOf })
  const { send, commits } = writer
  await send(['first'], { tenantId: 't0' })
  for (const tenantId of ['t1', 't6', 't2', 't3', 't7']) await send([tenantId], { tenantId })
  for (let index = 0; index < 4; index++) await commits[index]!.succeed()
  deepEqual(ordersOf(writer), [['first'], ['t1', 't2'], ['t6', 't7'], ['t3']])
})
