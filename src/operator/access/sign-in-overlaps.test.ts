import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOwnPassword, createOperator, disableOperator, resetOperator } from './operators.ts'
import { accessTo, anOperatorStore, aRequest } from '../../../test/support/operator-accounts.ts'
import { aStoreLedger } from '../../../test/support/store-ledger.ts'

const password = 'correct horse battery'
const attempt = { request: aRequest(), requestId: 'r' }

test('a sign-in that overlaps a reset, a new password or a disabling leaves no session', async (t) => {
  const ledger = await aStoreLedger(t)
  const { clock } = ledger
  const store = await anOperatorStore(t, ledger)
  const { change, signIn } = accessTo(store, clock)
  await createOperator(change(), { operatorId: 'mai', role: 'admin', password })
  await createOperator(change(), { operatorId: 'boss', role: 'admin', password })
  const { passwords } = change()
  const changes = {
    reset: () => resetOperator(change(), 'mai', 'another long password'),
    'new password': () => changeOwnPassword(change(), 'mai', password),
    disabling: async () => {
      await disableOperator(change(), 'mai')
      await resetOperator(change(), 'mai', password)
    },
  }
  let typed = password
  for (const [name, make] of Object.entries(changes)) {
    // The change is made while the old password is being checked; the clock moves on until the session begins.
    const slow: typeof passwords = {
      ...passwords,
      async matches(...given) {
        const matches = await passwords.matches(...given)
        await make()
        await store.sessions.endAll('mai')
        clock.advance(1_000)
        return matches
      },
    }
    const overlapping = accessTo(store, clock, slow)
    const result = await overlapping.signIn.byPassword({ operatorId: 'mai', password: typed }, attempt)
    assert.deepEqual(result, { kind: 'wrong' }, name)
    const left = (await store.sessions.sessions()).filter(({ operatorId }) => operatorId === 'mai')
    assert.deepEqual(left, [], name)
    typed = name === 'reset' ? 'another long password' : password
  }
  assert.equal((await signIn.byPassword({ operatorId: 'mai', password }, attempt)).kind, 'signed in')
})
