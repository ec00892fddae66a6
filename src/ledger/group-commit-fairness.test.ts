import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { aGroupCommit, orders } from '../../test/support/held-commits.ts'
import { LockTimeout } from './errors.ts'

/** One award commits, then each of the partners fills its part of the queue. */
async function flood(
  { send }: ReturnType<typeof aGroupCommit>,
  { partners, each }: { partners: string[]; each: number },
): Promise<void> {
  await send(['first'], { partnerId: 'somebody' })
  for (const partnerId of partners) await send(orders(partnerId, each), { partnerId })
}

for (const count of [1, 2, 4, 7]) {
  test(`while ${count} partners flood, a quiet one is not refused`, async (t) => {
    const ledger = aGroupCommit(t, { queueMax: 28, partnerQueueMax: 28 })
    const partners = Array.from({ length: count }, (_, index) => `flood${index}-`)
    await flood(ledger, { partners, each: 50 })
    await ledger.send(orders('quiet', 3), { partnerId: 'quiet' })
    const refused = ledger.unavailable()
    deepEqual(
      refused.filter((order) => order.startsWith('quiet')),
      [],
    )
    await ledger.commits[0]!.succeed()
    await ledger.commits[1]!.succeed()
    equal(ledger.credited().filter((order) => order.startsWith('quiet')).length, 3)
    equal(ledger.durable.length, 1 + 28)
  })
}

test('the displaced award is the newest of the partner that holds the most; it is rejected once and never committed', async (t) => {
  const ledger = aGroupCommit(t, { queueMax: 6, partnerQueueMax: 6 })
  await flood(ledger, { partners: ['few'], each: 2 })
  await ledger.send(orders('many', 4), { partnerId: 'many' })
  await ledger.send(['quiet1'], { partnerId: 'quiet' })
  deepEqual(ledger.unavailable(), ['many4'])
  match(String(ledger.answers.get('many4')), /too many awards of this partner/)
  await ledger.commits[0]!.succeed()
  await ledger.commits[1]!.succeed()
  deepEqual(new Set(ledger.durable), new Set(['first', 'few1', 'few2', 'many1', 'many2', 'many3', 'quiet1']))
  equal(ledger.commits.length, 2)
  await ledger.send(['many4'], { partnerId: 'many' })
  await ledger.commits[2]!.succeed()
  equal(ledger.credited().includes('many4'), true)
})

test('no award is displaced for a partner that would then hold more than the other', async (t) => {
  const ledger = aGroupCommit(t, { queueMax: 6, partnerQueueMax: 6 })
  await flood(ledger, { partners: ['a', 'b'], each: 3 })
  await ledger.send(orders('c', 3), { partnerId: 'c' })
  await ledger.send(orders('more-a', 2), { partnerId: 'a' })
  // Two each: c got in twice, and then nobody held more than it would have.
  deepEqual(new Set(ledger.unavailable()), new Set(['a3', 'b3', 'c3', 'more-a1', 'more-a2']))
})

test('a partner counts once, however many tenants it floods', async (t) => {
  const ledger = aGroupCommit(t, { commitsMax: 1, lanesPerCommit: 9, queueMax: 6, partnerQueueMax: 6 })
  const { send, unavailable } = ledger
  await send(['first'], { partnerId: 'somebody', tenantId: 't0' })
  for (const tenantId of ['t1', 't2', 't3', 't4', 't5', 't6']) {
    await send([`wide-${tenantId}`], { partnerId: 'wide', tenantId })
  }
  await send(orders('quiet', 3), { partnerId: 'quiet', tenantId: 't9' })
  deepEqual(unavailable(), ['wide-t6', 'wide-t5', 'wide-t4'])
  await ledger.commits[0]!.succeed()
  deepEqual(ledger.commits[1]!.orders, ['wide-t1', 'wide-t2', 'wide-t3', ...orders('quiet', 3)])
})

test('a partner with many tenants does not delay the others: partners take turns, not their tenants', async (t) => {
  const ledger = aGroupCommit(t, { commitsMax: 1, lanesPerCommit: 2 })
  await ledger.send(['first'], { partnerId: 'somebody', tenantId: 'somewhere' })
  for (let tenant = 0; tenant < 10; tenant++)
    await ledger.send([`flood${tenant}`], { partnerId: 'flood', tenantId: `tenant${tenant}` })
  await ledger.send(['quiet1'], { partnerId: 'quiet', tenantId: 'quiet' })
  await ledger.commits[0]!.succeed()
  deepEqual(new Set(ledger.commits[1]!.orders), new Set(['flood0', 'quiet1']))
})

test('awards whose deadline has passed leave their places at once, while the commit before them still runs', async (t) => {
  const ledger = aGroupCommit(t, { queueMax: 2, partnerQueueMax: 2, deadlineMs: 1000 })
  const { send, pass, commits, credited, unavailable } = ledger
  await send(['A1'])
  await send(['A2', 'A3'])
  await pass(1000)
  await send(['A4', 'A5'])
  deepEqual(unavailable(), ['A1', 'A2', 'A3'])
  await commits[0]!.succeed()
  deepEqual(commits[1]!.orders, ['A4', 'A5'])
  await commits[1]!.succeed()
  deepEqual(credited(), ['A4', 'A5'])
})

test('awards of a commit that was taken apart wait again, count again, and are the last of their partner to be displaced', async (t) => {
  const ledger = aGroupCommit(t, { commitsMax: 1, lanesPerCommit: 3, queueMax: 3, partnerQueueMax: 9 })
  const { send, commits, unavailable } = ledger
  await send(['A1', 'A2'], { tenantId: 't1', partnerId: 'a' })
  await send(['A3', 'A4'], { tenantId: 't1', partnerId: 'a' })
  await commits[0]!.fail(new LockTimeout('another transaction holds a lock'))
  deepEqual(commits[1]!.orders, ['A1', 'A2', 'A3', 'A4'], 'in their order')
  await send(['B1'], { tenantId: 't2', partnerId: 'b' })
  await send(orders('C', 3), { tenantId: 't3', partnerId: 'c' })
  await commits[2]!.fail(new LockTimeout('another transaction holds a lock'))
  deepEqual(commits[3]!.orders, ['B1'])
  deepEqual(unavailable(), [])
  // Lane t2 took its place alone again, t3 waits for the shared one: nothing was lost.
  for (const index of [1, 3, 4]) await commits[index]!.succeed()
  deepEqual(new Set(ledger.durable), new Set(['A1', 'A2', 'A3', 'A4', 'B1', 'C1', 'C2', 'C3']))
})

const large = { meta: 'x'.repeat(16_384) }

test('a commit takes few awards with a large meta: to compare a replay of one takes as long as many others', async (t) => {
  const ledger = aGroupCommit(t)
  await ledger.send(['first'], { partnerId: 'somebody' })
  await ledger.send(orders('flood', 200), { partnerId: 'flood', ...large })
  await ledger.send(orders('quiet', 3), { partnerId: 'quiet' })
  await ledger.commits[0]!.succeed()
  deepEqual(new Set(ledger.commits[1]!.orders), new Set([...orders('flood', 8), ...orders('quiet', 3)]))
  for (let next = 1; next < ledger.commits.length; next++) await ledger.commits[next]!.succeed()
  equal(ledger.credited().length, 204)
})

test('a commit takes fewer awards with a small meta than without: the stored one may be large', async (t) => {
  const ledger = aGroupCommit(t)
  await ledger.send(['first'], { partnerId: 'somebody' })
  await ledger.send(orders('flood', 400), { partnerId: 'flood', meta: '{"a":1}' })
  await ledger.send(orders('quiet', 3), { partnerId: 'quiet' })
  await ledger.commits[0]!.succeed()
  equal(ledger.commits[1]!.orders.length, 3 + 128)
})

test('so does one of many lanes, and each of them has its turn', async (t) => {
  const ledger = aGroupCommit(t, { commitsMax: 1, lanesPerCommit: 128 })
  await ledger.send(['first'], { partnerId: 'somebody', tenantId: 'somewhere' })
  for (let tenant = 0; tenant < 100; tenant++)
    await ledger.send(orders(`flood${tenant}-`, 2), { partnerId: 'flood', tenantId: `t${tenant}`, ...large })
  await ledger.send(['quiet1'], { partnerId: 'quiet', tenantId: 'quiet' })
  await ledger.commits[0]!.succeed()
  equal(ledger.commits[1]!.orders.includes('quiet1'), true)
  for (let next = 1; next < ledger.commits.length; next++) {
    const { length } = ledger.commits[next]!.orders
    equal(length <= 9, true, `${length} in one commit`)
    await ledger.commits[next]!.succeed()
  }
  equal(ledger.credited().length, 202)
})
