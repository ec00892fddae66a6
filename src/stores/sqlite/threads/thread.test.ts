import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Unavailable } from '../../../ledger/errors.ts'
import { startThread } from './thread.ts'

/** A thread that answers with what `answer`, the text of a function, makes of a question. */
function aThread(test: TestContext, answer: string, repliesMax = 1) {
  const thread = startThread<number, string>(moduleOf(answer, repliesMax), { unit: 'EP' })
  test.after(() => thread.close())
  return thread
}

function moduleOf(answer: string, repliesMax: number): URL {
  const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const text = `
    import { workerData } from 'node:worker_threads'
    import { answerQuestions } from ${here('./thread.ts')}
    import { Unavailable } from ${here('../../../ledger/errors.ts')}
    answerQuestions(${answer}, { close() {}, repliesMax: ${repliesMax} })`
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`)
}

const numbers = Array.from({ length: 50 }, (_, index) => index)

for (const repliesMax of [1, 8]) {
  test(`every question gets its own answer, up to ${repliesMax} in a message`, async (t) => {
    const { ask, isBusy } = aThread(t, '(number) => number + " " + workerData.unit', repliesMax)
    const answers = numbers.map(ask)
    assert.equal(isBusy(), true)
    assert.deepEqual(
      await Promise.all(answers),
      numbers.map((number) => `${number} EP`),
    )
    assert.equal(isBusy(), false)
  })

  test(`a fault is Unavailable, a bug stays a bug, and neither harms its neighbors, up to ${repliesMax} in a message`, async (t) => {
    const { ask } = aThread(
      t,
      `(number) => {
        if (number % 3 === 1) throw Object.assign(new Error('no space'), { errcode: 13 })
        if (number % 3 === 2) throw new TypeError('a bug')
        return 'fine'
      }`,
      repliesMax,
    )
    const answers = await Promise.allSettled(numbers.map(ask))
    for (const [number, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') assert.deepEqual([number % 3, answer.value], [0, 'fine'])
      else if (number % 3 === 1)
        assert.deepEqual(answer.reason, new Unavailable('SQLite: the disk is full: make room on it'))
      else assert.deepEqual([answer.reason.name, answer.reason.message], ['TypeError', 'a bug'])
    }
  })

  test(`closing waits for the answers, up to ${repliesMax} in a message`, async () => {
    const { ask, close } = startThread<number, string>(moduleOf('String', repliesMax), null)
    const answers = numbers.map(ask)
    await close()
    assert.deepEqual(await Promise.all(answers), numbers.map(String))
  })
}

test('a thread can be closed again, while it closes and afterwards', async () => {
  const { ask, close } = startThread<number, string>(moduleOf('String', 1), null)
  await ask(1)
  await Promise.all([close(), close()])
  await close()
})

test('a thread that has ended by itself can be closed', async () => {
  const { promise: dead, resolve: onDeath } = Promise.withResolvers<unknown>()
  const { ask, close } = startThread<number, string>(moduleOf('notThere', 1), null, { onDeath })
  await assert.rejects(ask(1), /notThere is not defined/)
  await dead
  await close()
  await close()
})

test('a thread that begins answers', async (t) => {
  const { begin, ask } = aThread(t, 'String')
  assert.equal(await begin(1), '1')
  assert.equal(await ask(2), '2')
})

test('begin fails with the reason if the thread cannot start', async () => {
  const { begin } = startThread<number, string>(moduleOf('notThere', 1), null)
  await assert.rejects(begin(1), /notThere is not defined/)
})

test('the requests of a thread that cannot start are Unavailable, and its owner is told to start another', async () => {
  const { promise: notStarted, resolve: onNotStarted } = Promise.withResolvers<void>()
  const { ask } = startThread<number, string>(moduleOf('notThere', 1), null, { onNotStarted })
  const answers = await Promise.allSettled([ask(1), ask(2)])
  for (const answer of answers)
    assert.ok(answer.status === 'rejected' && answer.reason instanceof Unavailable)
  await notStarted
})

test('begin fails with the reason if the thread cannot answer, and ends the thread', async () => {
  const full = moduleOf("() => { throw new Unavailable('the disk is full') }", 1)
  await assert.rejects(startThread<number, string>(full, null).begin(1), Unavailable)
})
