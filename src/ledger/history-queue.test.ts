import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { Unavailable } from './errors.ts'
import { createHistoryQueue, type HistoryQueueLimits } from './history-queue.ts'
import type { PageQuery } from './ledger.ts'

/** A store that reads a page when the test says so, and remembers in which order it was asked. */
function aQueue(limits: HistoryQueueLimits) {
  const clock = createTestClock()
  const asked: string[] = []
  const reading: { query: PageQuery; done(): void; fail(error: Error): void }[] = []
  const queue = createHistoryQueue(
    (query) =>
      new Promise((resolve, reject) => {
        asked.push(query.partnerId)
        reading.push({ query, done: () => resolve(`${query.partnerId} ${query.beforeSeq}`), fail: reject })
      }),
    clock,
    limits,
  )
  const page = (partnerId: string, beforeSeq: number | null = null) =>
    queue.page({ partnerId, tenantId: 't1', beforeSeq, limit: 10 })
  async function finishOne(): Promise<void> {
    reading.shift()!.done()
    await turn()
  }
  return { queue, page, asked, reading, finishOne, clock }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const settled = (pages: Promise<string>[]) => Promise.allSettled(pages)

test('each page is the one that was requested, and never more than a few are read at a time', async () => {
  const { page, reading, finishOne } = aQueue({ readsMax: 2 })
  const pages = [1, 2, 3, 4, 5].map((seq) => page('acme', seq))
  for (let left = 5; left > 0; left--) {
    assert.equal(reading.length, Math.min(2, left))
    await finishOne()
  }
  assert.deepEqual(
    await Promise.all(pages),
    [1, 2, 3, 4, 5].map((seq) => `acme ${seq}`),
  )
})

test('a flood of one partner delays another by a place, not by its length', async () => {
  const { page, asked, finishOne } = aQueue({ readsMax: 1 })
  const flood = Array.from({ length: 50 }, () => page('flooder'))
  const quiet = page('quiet')
  await finishOne()
  await finishOne()
  await finishOne()
  await quiet
  assert.ok(asked.slice(0, 3).includes('quiet'), asked.slice(0, 5).join())
  for (let left = 48; left > 0; left--) await finishOne()
  await Promise.all(flood)
})

for (const flooders of [1, 2, 4, 9]) {
  test(`${flooders} flooding partners are refused at once when they fill the queue, and a quiet one finds room`, async () => {
    const { page, finishOne, queue } = aQueue({ readsMax: 1, queueMax: 100 })
    const flood = settled(
      Array.from({ length: 200 * flooders }, (_, index) => page(`flooder-${index % flooders}`)),
    )
    const quiet = settled(Array.from({ length: 5 }, () => page('quiet')))
    const closing = queue.close()
    for (let reads = 0; reads < 106; reads++) await finishOne().catch(() => {})
    await closing
    const refused = (await flood).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    assert.ok(refused.length > 0)
    for (const { reason } of refused) assert.ok(reason instanceof Unavailable)
    assert.deepEqual(
      (await quiet).map(({ status }) => status),
      Array(5).fill('fulfilled'),
    )
  })
}

test('a page that has waited too long is Unavailable and is never read; one that is being read is Unavailable, too', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const { page, asked, finishOne, clock } = aQueue({ readsMax: 1, deadlineMs: 500 })
  const pages = [page('acme'), page('acme'), page('globex')]
  clock.advance(500)
  mock.timers.tick(500)
  for (const late of pages) await assert.rejects(late, Unavailable)
  const next = page('acme', 7)
  await finishOne()
  await finishOne()
  assert.equal(await next, 'acme 7')
  assert.deepEqual(asked, ['acme', 'acme'])
})

test('while nothing is read at all, the queue stays bounded: late pages keep their places until they are passed over', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const { page, clock } = aQueue({ readsMax: 1, queueMax: 10, deadlineMs: 500 })
  const pages = Array.from({ length: 30 }, () => page('acme').catch(() => 'late'))
  clock.advance(500)
  mock.timers.tick(500)
  await Promise.all(pages)
  await assert.rejects(page('acme'), /too many history requests/)
})

test('a page that cannot be read fails alone', async () => {
  const { page, reading, finishOne } = aQueue({ readsMax: 1 })
  const [first, second] = [page('acme'), page('acme', 2)]
  reading.shift()!.fail(new Unavailable('the disk'))
  await assert.rejects(first, /the disk/)
  await finishOne()
  assert.equal(await second, 'acme 2')
})

test('closing waits for the pages that were accepted; later ones are Unavailable', async () => {
  const { page, queue, finishOne } = aQueue({ readsMax: 1 })
  const pages = [page('acme', 1), page('acme', 2)]
  let isClosed = false
  const closing = queue.close().then(() => {
    isClosed = true
  })
  await assert.rejects(page('acme'), Unavailable)
  await finishOne()
  assert.equal(isClosed, false)
  await finishOne()
  await closing
  assert.deepEqual(await Promise.all(pages), ['acme 1', 'acme 2'])
})
