import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microsecondsByStage } from './profile/read-profile.ts'
import { stageOf } from './profile/stages.ts'

const frame = (functionName: string, url = '') => ({ functionName, url })

test('the innermost frame that is known says the stage; sockets belong to the stage that uses them', () => {
  const write = frame('writeUtf8String')
  const stream = frame('writeGeneric', 'node:internal/stream_base_commons')
  const handler = frame('handler', 'file:///src/http/award/route.ts')
  assert.equal(
    stageOf([write, stream, frame('end', 'node:_http_outgoing'), handler]),
    'response: framework, HTTP, sockets',
  )
  assert.equal(stageOf([stream, frame('onread', 'node:net')]), 'read: sockets, HTTP, framework')
  assert.equal(
    stageOf([frame('Hmac'), frame('sign', 'src/access/signature.ts'), handler]),
    'HMAC: check the signature',
  )
  assert.equal(
    stageOf([
      frame('exec'),
      frame('answer', 'src/stores/sqlite/threads/checkpointer.ts'),
      frame('reply', 'src/stores/sqlite/threads/thread.ts'),
    ]),
    'checkpoint: log into the database',
  )
  assert.equal(
    stageOf([frame('add', 'src/journal/count-cells.ts'), frame('saw', 'src/journal/collector.ts'), handler]),
    'journal: what the service saw',
  )
  assert.equal(stageOf([frame('who knows')]), 'the rest')
})

test('only samples between the two moments count, and none of them idle', () => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('award', 'src/ledger/group-commit.ts') },
    ],
    startTime: 0,
    endTime: 1000,
    samples: [3, 3, 2, 3, 3],
    timeDeltas: [100, 200, 200, 200, 250],
  }
  const spent = microsecondsByStage(profile, { from: 800, to: 200 })
  assert.deepEqual([...spent], [['queue: waiting for a commit', 400]])
})
