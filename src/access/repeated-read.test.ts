import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DamagedRows, Unavailable } from '../ledger/errors.ts'
import { repeatRead } from './repeated-read.ts'

/** A clock and timers that the test moves, and reads that end when and how it says. */
async function reads(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const clock = {
    time: 0,
    setBackBy: 0,
    now: () => clock.time - clock.setBackBy,
    elapsed: () => clock.time,
  }
  const begun: PromiseWithResolvers<void>[] = []
  const told: string[] = []
  const read = () => {
    const result = Promise.withResolvers<void>()
    begun.push(result)
    if (begun.length === 1) result.resolve()
    return result.promise
  }
  const repeated = await repeatRead(read, { clock, onError: (error) => told.push(String(error)) })
  t.after(repeated.close)
  async function end(how: (last: PromiseWithResolvers<void>) => void): Promise<void> {
    how(begun.at(-1)!)
    await nextTurn()
  }
  return { repeated, clock, begun, told, end }
}

const away = new Unavailable('away')

/** Whether it has resolved or rejected, or neither yet. */
async function stateOf(caughtUp: Promise<void> | undefined): Promise<string> {
  const waits = nextTurn().then(() => 'waits')
  return Promise.race([
    waits,
    caughtUp!.then(
      () => 'caught up',
      ({ message }) => message,
    ),
  ])
}

test('for a second after a read began nobody waits, and after that everybody until the next one has ended', async (t) => {
  const { repeated, clock, begun, end } = await reads(t)
  clock.time = 1_000
  assert.equal(repeated.catchUp(), undefined)
  clock.time = 1_001
  const [first, second] = [repeated.catchUp(), repeated.catchUp()]
  assert.equal(begun.length, 2, 'one read for all')
  assert.equal(await stateOf(first), 'waits')
  await end(({ resolve }) => resolve())
  assert.equal(await stateOf(first), 'caught up')
  assert.equal(await stateOf(second), 'caught up')
  assert.equal(repeated.catchUp(), undefined)
})

test('a read that was under way before does not count: it may have looked before the change', async (t) => {
  const { repeated, clock, begun, end } = await reads(t)
  repeated.begin()
  clock.time = 5_000
  const caughtUp = repeated.catchUp()
  await end(({ resolve }) => resolve())
  assert.equal(await stateOf(caughtUp), 'waits')
  assert.equal(begun.length, 3, 'the next one begins at once')
  await end(({ resolve }) => resolve())
  assert.equal(await stateOf(caughtUp), 'caught up')
})

test('reads that take longer than a second still let everybody through who came before they began', async (t) => {
  const { repeated, clock, end } = await reads(t)
  clock.time = 5_000
  const caughtUp = repeated.catchUp()
  clock.time = 8_000
  await end(({ resolve }) => resolve())
  assert.equal(await stateOf(caughtUp), 'caught up')
  assert.notEqual(repeated.catchUp(), undefined)
})

test('a clock that was set back makes a read necessary, too', async (t) => {
  const { repeated, clock } = await reads(t)
  clock.setBackBy = 1
  assert.notEqual(repeated.catchUp(), undefined)
  clock.time = 4_000
  clock.setBackBy = 3_900
  assert.notEqual(repeated.catchUp(), undefined, 'to where the read seems new')
  clock.setBackBy = 0
  clock.elapsed = () => 0
  assert.notEqual(repeated.catchUp(), undefined, 'while the machine slept, the other clock stood still')
})

test('while the store is away nobody gets through, and it is asked no more often than ever', async (t) => {
  const { repeated, clock, begun, told, end } = await reads(t)
  clock.time = 5_000
  const first = repeated.catchUp()
  await end(({ reject }) => reject(away))
  assert.equal(await stateOf(first), 'away')
  const second = repeated.catchUp()
  assert.equal(begun.length, 2)
  t.mock.timers.tick(250)
  assert.equal(begun.length, 3)
  await end(({ reject }) => reject(away))
  assert.equal(await stateOf(second), 'away')
  assert.deepEqual(repeated.failed().reads, 2)
  assert.deepEqual(told, ['Error: away'])
  t.mock.timers.tick(250)
  await end(({ resolve }) => resolve())
  assert.equal(repeated.catchUp(), undefined)
  assert.equal(repeated.failed().reads, 0)
})

test('nobody waits longer than three seconds, and who comes later waits for a read of their own', async (t) => {
  const { repeated, clock, begun, end } = await reads(t)
  clock.time = 5_000
  const first = repeated.catchUp()
  clock.time = 7_000
  const second = repeated.catchUp()
  t.mock.timers.tick(2_999)
  assert.equal(await stateOf(first), 'waits')
  t.mock.timers.tick(1)
  await assert.rejects(first!, Unavailable)
  await assert.rejects(second!, Unavailable)

  const third = repeated.catchUp()
  assert.equal(await stateOf(third), 'waits')
  await end(({ resolve }) => resolve())
  assert.equal(begun.length, 3)
  const fourth = repeated.catchUp()
  await end(({ resolve }) => resolve())
  assert.equal(await stateOf(third), 'caught up')
  assert.equal(await stateOf(fourth), 'caught up')
})

for (const damage of [new Error('not a number'), new DamagedRows('a damaged page')])
  test(`a store that answers, but with damage (${damage.message}), stops nobody`, async (t) => {
    const { repeated, clock, end } = await reads(t)
    clock.time = 5_000
    const caughtUp = repeated.catchUp()
    await end(({ reject }) => reject(damage))
    assert.equal(await stateOf(caughtUp), 'caught up')
    assert.equal(repeated.failed().reads, 1)
    clock.time = 6_000
    assert.equal(repeated.catchUp(), undefined)
    clock.time = 6_001
    assert.equal(
      await stateOf(repeated.catchUp()),
      'waits',
      'it may have been repaired while we were stopped',
    )
  })
