import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aGroupCommit } from '../../test/support/held-commits.ts'

/** A store whose commits gather until the test ends it. */
function gathering(t: TestContext, limits = {}) {
  const gathers: PromiseWithResolvers<void>[] = []
  const ledger = aGroupCommit(t, {
    ...limits,
    gather() {
      gathers.push(Promise.withResolvers())
      return gathers.at(-1)!.promise
    },
  })
  return {
    ...ledger,
    gathered: () => gathers.length,
    async endGathering() {
      gathers.at(-1)!.resolve()
      await nextTurn()
    },
  }
}

test('a commit that follows another at once also takes the awards that arrive while it gathers', async (t) => {
  const { send, commits, endGathering, credited } = gathering(t)
  await send(['A1'])
  await send(['A2'])
  await commits[0]!.succeed()
  deepEqual(credited(), ['A1'])
  await send(['A3'])
  equal(commits.length, 1)
  await endGathering()
  deepEqual(commits[1]!.orders, ['A2', 'A3'])
})

test('a partner who sends one award after the other never waits', async (t) => {
  const { send, commits, gathered } = gathering(t)
  for (const order of ['A1', 'A2', 'A3']) {
    await send([order])
    deepEqual(commits.at(-1)!.orders, [order])
    await commits.at(-1)!.succeed()
  }
  equal(gathered(), 0)
})

test('a batch that is full already does not gather', async (t) => {
  const { send, commits, gathered } = gathering(t, { batchMax: 2 })
  await send(['A1'])
  await send(['A2', 'A3', 'A4'])
  await commits[0]!.succeed()
  deepEqual(commits[1]!.orders, ['A2', 'A3'])
  equal(gathered(), 0)
})

test('an award whose deadline passes while it gathers is not committed', async (t) => {
  const { send, pass, commits, endGathering, unavailable } = gathering(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(600)
  await send(['A2'])
  await commits[0]!.succeed()
  await pass(600)
  await send(['A3'])
  await pass(600)
  await endGathering()
  deepEqual(unavailable(), ['A2'])
  deepEqual(commits[1]!.orders, ['A3'])
})
