import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aGroupCommit } from '../../test/support/held-commits.ts'
import { LockTimeout } from './errors.ts'
import type { NodeTurn } from './group-commit.ts'

/** A store in a crowd: its shared commits wait until the test gives them their turn. */
function inACrowd(t: TestContext, limits = {}) {
  const waiting: PromiseWithResolvers<NodeTurn | null>[] = []
  let ended = 0
  const ledger = aGroupCommit(t, {
    commitsMax: 1,
    lanesPerCommit: 3,
    ...limits,
    takesNodeTurns: () => true,
    takeNodeTurn() {
      const asked = Promise.withResolvers<NodeTurn | null>()
      waiting.push(asked)
      return asked.promise
    },
  })
  return {
    ...ledger,
    ended: () => ended,
    asked: () => waiting.length,
    async give(turn: 'a turn' | null = 'a turn') {
      waiting.at(-1)!.resolve(turn && { commit: ledger.parameters.commit, end: () => ended++ })
      await nextTurn()
    },
  }
}

test('in a crowd a batch is taken when its turn comes: who came meanwhile is in it, who is overdue is not', async (t) => {
  const { send, pass, give, commits, unavailable, asked } = inACrowd(t, { deadlineMs: 1000 })
  await send(['A1'], { tenantId: 't1' })
  await pass(600)
  await send(['A2', 'B1'], { tenantId: 't2' })
  await pass(600)
  equal(commits.length, 0)
  deepEqual(unavailable(), ['A1'])
  await give()
  deepEqual(
    commits.map(({ orders }) => orders),
    [['A2', 'B1']],
  )
  equal(asked(), 1)
})

test('a turn is given back, used or not', async (t) => {
  const { send, pass, give, commits, ended } = inACrowd(t, { deadlineMs: 1000 })
  await send(['A1'], { tenantId: 't1' })
  await pass(1000)
  await give()
  equal(commits.length, 0)
  equal(ended(), 1)
  await send(['A2'], { tenantId: 't1' })
  await give()
  equal(ended(), 1)
  await commits[0]!.succeed()
  equal(ended(), 2)
})

test('without a turn, because the line is too long, the batch is still committed', async (t) => {
  const { send, give, commits, credited } = inACrowd(t)
  await send(['A1'], { tenantId: 't1' })
  await give(null)
  await commits[0]!.succeed()
  deepEqual(credited(), ['A1'])
})

test('after a lock timeout in a crowd the lanes stay together and keep their order; after one by a single lock they go alone', async (t) => {
  const { send, give, commits, credited } = inACrowd(t)
  await send(['A1', 'A2'], { tenantId: 't1' })
  await send(['B1'], { tenantId: 't2' })
  await give()
  await commits[0]!.fail(new LockTimeout('another transaction holds a lock', { inCrowd: true }))
  await send(['A3'], { tenantId: 't1' })
  await give()
  deepEqual(commits[1]!.orders, ['A1', 'A2', 'A3', 'B1'])
  await commits[1]!.fail(new LockTimeout('another transaction holds a lock'))
  deepEqual(
    commits.slice(2).map(({ orders }) => orders),
    [['A1', 'A2', 'A3'], ['B1']],
  )
  await commits[2]!.succeed()
  await commits[3]!.succeed()
  deepEqual(credited(), ['A1', 'A2', 'A3', 'B1'])
})

test('closing waits for the turn, and for the commit after it', async (t) => {
  const { ledger, send, give, commits, credited } = inACrowd(t)
  await send(['A1'], { tenantId: 't1' })
  const closing = ledger.close()
  await give()
  await commits[0]!.succeed()
  await closing
  deepEqual(credited(), ['A1'])
})
