import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LockWait } from '../../src/ledger/commit-batch.ts'
import { Unavailable } from '../../src/ledger/errors.ts'
import { type CommitParameters, type GroupCommitLimits, groupCommit } from '../../src/ledger/group-commit.ts'
import type { Outcome } from '../../src/rules/decide-batch.ts'
import type { AwardCommand } from '../../src/rules/entry.ts'
import { anAward } from './awards.ts'
import { createTestClock } from './test-clock.ts'

/** A commit that waits for the test to end it. */
type HeldCommit = {
  orders: string[]
  lockWait: LockWait | undefined
  succeed(): Promise<void>
  fail(fault: unknown): Promise<void>
}

type HeldStoreLimits = { commitsMax: number } & Pick<CommitParameters, 'lanesPerCommit' | 'groupOf'>
type Turns = Pick<CommitParameters, 'takesNodeTurns' | 'takeNodeTurn' | 'gather'>

/** A ledger in memory whose lanes are the tenants. The test decides when and how a commit ends. */
function createHeldStore({ commitsMax, lanesPerCommit, groupOf }: HeldStoreLimits) {
  const commits: HeldCommit[] = []
  const running = new Set<string>()
  /** What was committed, in that order. */
  const durable: string[] = []
  let runningCommits = 0
  let runningMax = 0
  const laneOf = (command: AwardCommand) => (commitsMax * lanesPerCommit === 1 ? 'all' : command.tenantId)
  const parameters: CommitParameters = {
    laneOf,
    groupOf,
    lanesPerCommit,
    commitsMax: () => commitsMax,
    commitsAloneMax: 2,
    commit(commands, lockWait) {
      const lanes = new Set(commands.map(laneOf))
      assert.ok(lanes.size <= lanesPerCommit, `a batch is of ${lanes.size} lanes`)
      for (const lane of lanes) {
        assert.equal(running.has(lane), false, `the lane ${lane} commits twice at once`)
        running.add(lane)
      }
      runningMax = Math.max(runningMax, ++runningCommits)
      const end = () => {
        for (const lane of lanes) running.delete(lane)
        runningCommits--
      }
      const { promise, resolve, reject } = Promise.withResolvers<Outcome[]>()
      const orders = commands.map(({ orderId }) => orderId)
      commits.push({
        orders,
        lockWait,
        async succeed() {
          durable.push(...orders)
          end()
          resolve(commands.map(creditedAs))
          await nextTurn()
        },
        async fail(fault) {
          end()
          reject(fault)
          await nextTurn()
        },
      })
      return promise
    },
  }
  return { parameters, commits, durable, runningMax: () => runningMax }
}

export function creditedAs({ epTransactionId, amount }: AwardCommand): Outcome {
  return { kind: 'credited', epTransactionId, points: amount, partnerDayRemaining: 0, dayResetsAt: 0 }
}

/** Group commit on a held store, with a clock and timers that the test moves, and the outcome of each award. */
export function aGroupCommit(
  test: TestContext,
  {
    commitsMax = 1,
    lanesPerCommit = 1,
    groupOf = () => 'all',
    takesNodeTurns,
    takeNodeTurn,
    gather,
    ...limits
  }: Partial<GroupCommitLimits & HeldStoreLimits> & Turns = {},
) {
  test.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = createTestClock()
  const held = createHeldStore({ commitsMax, lanesPerCommit, groupOf })
  const turns = takesNodeTurns && takeNodeTurn ? { takesNodeTurns, takeNodeTurn } : {}
  const ledger = groupCommit({ ...held.parameters, ...turns, ...(gather && { gather }) }, clock, limits)
  const answers = new Map<string, Outcome | Error>()
  return {
    ...held,
    clock,
    ledger,
    answers,
    /** Sends orders, all in one turn of the event loop, and records their outcomes. */
    async send(orders: string[], overrides: Partial<AwardCommand> = {}): Promise<void> {
      for (const orderId of orders) {
        const command = anAward({ ...overrides, orderId, epTransactionId: `id-${orderId}` })
        ledger.award(command).then(
          (outcome) => answers.set(orderId, outcome),
          (error: Error) => answers.set(orderId, error),
        )
      }
      await nextTurn()
    },
    /** Moves the clock and the timers. */
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

export function orders(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
}
