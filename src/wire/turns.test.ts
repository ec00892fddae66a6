import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nextStage } from '../ledger/next-stage.ts'
import { createTurns, type Sender } from './turns.ts'

/** A sender all of whose items may start. */
function aSender<Item>(...items: Item[]): Sender<Item> & { items: Item[] } {
  return {
    items,
    turnsAs: '',
    goesAhead: () => false,
    inRing: false,
    nextInRing: null,
    mayStart: () => items.length > 0,
    takeNext: () => items.shift()!,
  }
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}`)
}

test('requests are started at the end of the turn in which they arrive, in the order of their arrival', async () => {
  const seen: string[] = []
  const turns = createTurns((item: string) => seen.push(`start ${item}`))
  for (const name of ['a', 'b']) {
    turns.enter(aSender(name))
    seen.push(`arrived ${name}`)
  }
  await nextTurn()
  assert.deepEqual(seen, ['arrived a', 'arrived b', 'start a', 'start b'])
})

test('what arrives while a turn runs is started in the next one, and is not lost', async () => {
  const seen: number[] = []
  const turns = createTurns((left: number) => {
    seen.push(left)
    if (left > 0) turns.enter(aSender(left - 1))
  })
  turns.enter(aSender(2))
  await nextTurn()
  assert.deepEqual(seen, [2])
  await nextTurn()
  await nextTurn()
  assert.deepEqual(seen, [2, 1, 0])
})

test('a turn starts at most 32 requests, and all senders keep their order', async () => {
  const seen: number[] = []
  const turns = createTurns((number: number) => seen.push(number))
  const all = Array.from({ length: 100 }, (_, index) => index)
  for (const number of all) turns.enter(aSender(number))
  await nextTurn()
  assert.deepEqual(seen, all.slice(0, 32))
  for (let turn = 0; turn < 4; turn++) await nextTurn()
  assert.deepEqual(seen, all)
})

test('senders take turns: of two thousand requests of one, the others wait for one', async () => {
  const seen: string[] = []
  const turns = createTurns((item: string) => seen.push(item))
  turns.enter(aSender(...numbered('flood', 2000)))
  turns.enter(aSender('ann0', 'ann1'))
  turns.enter(aSender('bob0'))
  await nextTurn()
  assert.deepEqual(seen.slice(0, 6), ['flood0', 'ann0', 'bob0', 'flood1', 'ann1', 'flood2'])
  assert.equal(seen.length, 32)
  turns.enter(aSender('late0'))
  await nextTurn()
  assert.ok(seen.indexOf('late0') <= 33, `started as number ${seen.indexOf('late0')}`)
  while (seen.length < 2004) await nextTurn()
  assert.deepEqual(
    seen.filter((item) => item.startsWith('flood')),
    numbered('flood', 2000),
  )
})

test('partners take turns: of a partner with two hundred connections, the others wait for one request', async () => {
  const seen: string[] = []
  const turns = createTurns((item: string) => seen.push(item))
  for (const name of numbered('flood', 200))
    turns.enter({ ...aSender(name, `${name} again`), turnsAs: 'flooder' })
  for (const name of numbered('new', 2)) turns.enter(aSender(name))
  turns.enter({ ...aSender('ann0', 'ann1'), turnsAs: 'ann' })
  await nextTurn()
  assert.deepEqual(seen.slice(0, 7), ['flood0', 'new0', 'ann0', 'flood1', 'new1', 'ann1', 'flood2'])
  while (seen.length < 404) await nextTurn()
  const ofTheFlood = seen.filter((item) => item.startsWith('flood'))
  assert.deepEqual(
    ofTheFlood,
    numbered('flood', 200).concat(numbered('flood', 200).map((name) => `${name} again`)),
  )
})

test('a request with a large body counts as several, so that a turn stays short', async () => {
  const seen: string[] = []
  const turns = createTurns(
    (item: string) => seen.push(item),
    (item) => (item.startsWith('large') ? 8 : 1),
  )
  for (const name of numbered('large', 10)) turns.enter({ ...aSender(name), goesAhead: () => true })
  await nextTurn()
  assert.deepEqual(seen, numbered('large', 4))
  for (const name of numbered('other', 9)) turns.enter(aSender(name))
  await nextTurn()
  assert.deepEqual(seen.slice(4), ['large4', 'large5', 'large6', ...numbered('other', 8)])
  while (seen.length < 19) await nextTurn()
})

test('awards go ahead of everything else, which has a quarter of the turn', async () => {
  const seen: string[] = []
  const turns = createTurns((item: string) => seen.push(item))
  const senders = (name: string, goesAhead: boolean) =>
    numbered(name, 100).map((item) => ({ ...aSender(item), goesAhead: () => goesAhead }))
  for (const sender of senders('other', false)) turns.enter(sender)
  for (const sender of senders('award', true)) turns.enter(sender)
  await nextTurn()
  assert.deepEqual(seen, [...numbered('award', 24), ...numbered('other', 8)])
  while (seen.length < 200) await nextTurn()
  for (const name of ['award', 'other'])
    assert.deepEqual(
      seen.filter((item) => item.startsWith(name)),
      numbered(name, 100),
    )
})

test('a sender that may not start anything leaves the ring, and enters it again when it may', async () => {
  const seen: string[] = []
  const turns = createTurns((item: string) => seen.push(item))
  let allowed = 1
  const one = aSender('a0', 'a1')
  const sender = {
    ...one,
    mayStart: () => allowed > 0 && one.mayStart(),
    takeNext: () => {
      allowed--
      return one.takeNext()
    },
  }
  turns.enter(sender)
  turns.enter(sender)
  await nextTurn()
  await nextTurn()
  assert.deepEqual(seen, ['a0'])
  turns.enter(sender)
  await nextTurn()
  assert.deepEqual(seen, ['a0'])
  allowed = 1
  turns.enter(sender)
  await nextTurn()
  assert.deepEqual(seen, ['a0', 'a1'])
})

test('a sender whose requests are gone when its turn comes is passed over', async () => {
  const seen: string[] = []
  const turns = createTurns((item: string) => seen.push(item))
  const gone = aSender('gone')
  turns.enter(gone)
  turns.enter(aSender('here'))
  gone.items.length = 0
  await nextTurn()
  assert.deepEqual(seen, ['here'])
})

test('every request of a turn completes a stage before one of them begins the next', async () => {
  const seen: string[] = []
  async function run(name: string): Promise<void> {
    for (const stage of [1, 2, 3]) {
      await nextStage
      seen.push(`${name}${stage}`)
    }
  }
  const turns = createTurns((name: string) => void run(name))
  for (const name of ['a', 'b', 'c']) turns.enter(aSender(name))
  await nextTurn()
  await nextTurn()
  assert.deepEqual(seen, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
})
