import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { anOperatorStore } from '../../../test/support/operator-accounts.ts'
import { aStoreLedger } from '../../../test/support/store-ledger.ts'
import { createAccessRecorder } from './access-recorder.ts'

test('a clock that is set ahead for a moment does not delete the access log; time that passes does', async (t) => {
  const ledger = await aStoreLedger(t)
  const { clock } = ledger
  const { sessions } = await anOperatorStore(t, ledger)
  const record = createAccessRecorder(sessions, clock)
  const event = { kind: 'read', actor: 'operator:mai', address: '', subject: null, requestId: 'r' } as const
  const actions = async () => (await sessions.accessLog({ limit: 10 })).map(({ action }) => action).join()
  await record({ ...event, action: 'one' })
  const start = clock.now()
  clock.advance(60_000)
  clock.set(start + 400 * 86_400_000)
  await record({ ...event, action: 'two' })
  clock.set(start + 60_000)
  equal(await actions(), 'two,one')
  clock.advance(200 * 86_400_000)
  await record({ ...event, action: 'three' })
  equal(await actions(), 'three,two', 'what was written while the clock was ahead is not old yet')
})
