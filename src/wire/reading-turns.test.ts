import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { aListener, answersIn, post } from '../../test/support/http-listener.ts'
import { limits } from './limits.ts'
import { createReadingTurns } from './reading-turns.ts'

test('however fast a client sends, it is read once in a turn of the event loop', async (t) => {
  const listener = await aListener(t)
  const accepted: Promise<Socket[]> = once(listener.http.app.server, 'connection')
  const client = await listener.connect()
  const [socket] = await accepted
  const count = 200
  client.write(post('/held', 'x'.repeat(60_000)).repeat(count))
  for (let before = 0; answersIn(client.received()).length < count; before = socket!.bytesRead) {
    await nextTurn()
    const read = socket!.bytesRead - before
    assert.ok(read <= limits.readBytesMax, `${read} bytes were read in one turn`)
  }
})

test('of many that send fast, two are read in a turn, in the order in which they came', async () => {
  const turns = createReadingTurns()
  const read: number[] = []
  const readers = Array.from({ length: 5 }, (_, number) => ({ readOn: () => void read.push(number) }))
  for (const reader of readers) turns.enter(reader)
  assert.deepEqual(read, [])
  await nextTurn()
  assert.deepEqual(read, [0, 1])
  turns.enter(readers[0]!)
  await nextTurn()
  assert.deepEqual(read, [0, 1, 2, 3])
  await nextTurn()
  assert.deepEqual(read, [0, 1, 2, 3, 4, 0])
})
