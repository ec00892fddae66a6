import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator, resetOperator } from '../../src/operator/access/operators.ts'
import { aBrowserRequest, accessTo, anOperatorStore, aRequest } from '../support/operator-accounts.ts'
import type { Lifetime } from '../support/service.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { aNoon } from '../support/test-clock.ts'

const password = 'correct horse battery'
const hourMs = 3_600_000
const tenYearsMs = 10 * 365 * 24 * hourMs

/** The account of mai. The clock is ten years ahead. */
async function tenYearsAhead(t: Lifetime) {
  const ledger = await aStoreLedger(t)
  const store = await anOperatorStore(t, ledger)
  const access = accessTo(store, ledger.clock)
  const { clock } = ledger
  await createOperator(access.change(), { operatorId: 'mai', role: 'admin', password })
  clock.set(aNoon + tenYearsMs)
  async function session(): Promise<string> {
    const attempt = { request: aRequest(), requestId: 'r' }
    const result = await access.signIn.byPassword({ operatorId: 'mai', password }, attempt)
    assert.equal(result.kind, 'signed in')
    return result.kind === 'signed in' ? result.secret : ''
  }
  const isIn = async (secret: string) => (await access.identify(aBrowserRequest(secret))) !== null
  return { ...ledger, store, access, clock, session, isIn }
}

test('an account that was reset while the clock was ten years ahead signs in as often as it wants, and its sessions end in time', async (t) => {
  const { access, clock, session, isIn, verify } = await tenYearsAhead(t)
  const ahead = await session()
  await resetOperator(access.change(), 'mai', password)
  clock.set(aNoon)
  for (let again = 0; again < 25; again++) assert.ok(await isIn(await session()), `sign-in ${again}`)
  const idle = await session()
  const used = await session()
  for (let half = 0; half < 23; half++) {
    clock.advance(hourMs / 2)
    assert.ok(await isIn(used))
  }
  clock.advance(hourMs / 2 + 1)
  assert.ok(!(await isIn(used)), 'twelve hours old')
  assert.ok(!(await isIn(idle)), 'idle')
  assert.ok(!(await isIn(ahead)), 'ended by the reset')
  assert.equal((await verify()).fault, null)
})

test('sessions that began while the clock was ten years ahead have ended when it is right again, and push out no later one', async (t) => {
  const { store, clock, session, isIn } = await tenYearsAhead(t)
  const ahead: string[] = []
  for (let index = 0; index < 20; index++) ahead.push(await session())
  assert.ok(await isIn(ahead[0]!))
  clock.set(aNoon)
  for (const secret of ahead) assert.ok(!(await isIn(secret)))
  const [first, second] = [await session(), await session()]
  assert.ok((await isIn(first)) && (await isIn(second)))
  assert.equal((await store.sessions.sessions()).length, 2)
})

test('a sign-in that corrects the account does not get in with a password that was reset meanwhile', async (t) => {
  const { store, access, clock } = await tenYearsAhead(t)
  await resetOperator(access.change(), 'mai', password)
  clock.set(aNoon)
  const read = (await store.accounts.operator('mai'))!
  await resetOperator(access.change(), 'mai', 'another horse battery')
  const attempt = { request: aRequest(), requestId: 'r' }
  assert.equal(await access.signIn.begin(read, 'password', attempt), null)
  assert.deepEqual(await store.sessions.sessions(), [])
})
