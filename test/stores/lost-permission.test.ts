import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disableOperator, resetOperator, setRole } from '../../src/operator/access/operators.ts'
import type { Permission } from '../../src/operator/access/permissions.ts'
import { createToken, revokeToken } from '../../src/operator/access/tokens.ts'
import { actorIn } from '../../src/operator/api/operator-of.ts'
import type { Actor } from '../../src/partners/operator.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import {
  aBrowserRequest,
  accessTo,
  anAccount,
  anOperatorStore,
  aRequest,
  putAccount,
} from '../support/operator-accounts.ts'
import type { Lifetime } from '../support/service.ts'
import { aStoreLedger, type StoreLedger } from '../support/store-ledger.ts'

const partnerId = 'acme'
const dayMs = 86_400_000

/** A ledger with the admins mai and an, and what the guard says of a request of mai's. */
async function aDesk(t: Lifetime) {
  const ledger = await aStoreLedger(t)
  const store = await anOperatorStore(t, ledger)
  for (const operatorId of ['mai', 'an']) await putAccount(store, anAccount({ operatorId }))
  const access = accessTo(store, ledger.clock)

  async function admitted(
    request: ReturnType<typeof aRequest>,
    permission: Permission = 'partners.write',
  ): Promise<Actor> {
    const { identity } = await access.guard.admit(request, { permission, action: 'x', requestId: 'r' })
    const { address } = request
    return actorIn({ identity: identity!, permission, address, now: ledger.clock.now() }, 'ticket 7')
  }
  async function bySession(permission?: Permission) {
    const mai = (await store.accounts.operator('mai'))!
    const secret = await access.signIn.begin(mai, 'password', { request: aRequest(), requestId: 'r' })
    const { identity } = await access.guard.admit(aBrowserRequest(secret!), {
      permission: null,
      action: 'x',
      requestId: 'r',
    })
    const { csrfToken } = identity!.session!
    const changing = { method: 'POST', headers: { 'x-csrf-token': csrfToken } }
    return admitted(aBrowserRequest(secret!, changing), permission)
  }
  async function byToken(operatorId: string | null) {
    const { secret, tokenId } = await createToken(
      { accounts: store.accounts, by: access.change().by },
      { name: 'script', scopes: ['partners.write'], operatorId, expiresAt: ledger.clock.now() + dayMs },
    )
    const request = aRequest({ method: 'POST', headers: { authorization: `Bearer ${secret}` } })
    return { tokenId, by: await admitted(request) }
  }
  return { ledger, store, access, bySession, byToken }
}

async function assertNothingWritten(ledger: StoreLedger, work: () => Promise<unknown>): Promise<void> {
  const written = () => ledger.raw.rows('SELECT max(audit_seq) AS last FROM audit')
  const before = await written()
  await assert.rejects(work(), /nothing was changed/)
  assert.deepEqual(await written(), before)
}

test('no change of any kind that was admitted before is committed after the account was disabled', async (t) => {
  const { ledger, store, access, bySession } = await aDesk(t)
  const by = await bySession()
  await disableOperator(access.change(), 'mai')
  const operator = { ...by, store: ledger.store.partners }
  const accounts = { ...access.change(), by }
  const changes = [
    () => suspendPartner(operator, partnerId),
    () =>
      createPartner(
        operator,
        { partnerId: 'new', name: 'New', tenants: ['t9'], perTx: null, perPartnerDay: null },
        Buffer.alloc(32),
      ),
    () => setTenantCaps(operator, 't1', 5),
    () => setDefaultCaps(operator, { perTx: 5 }),
    () => setRole(accounts, 'an', 'viewer'),
    () => resetOperator(accounts, 'mai', null),
    () =>
      createToken(
        { accounts: store.accounts, by },
        { name: 'later', scopes: ['figures.read'], operatorId: 'mai', expiresAt: by.now + dayMs },
      ),
  ]
  for (const change of changes) await assertNothingWritten(ledger, change)
})

test('a change by a token is not committed after the token was revoked, has expired, or its owner was disabled', async (t) => {
  const { ledger, store, access, byToken } = await aDesk(t)
  const [revoked, owned, expired] = [await byToken(null), await byToken('mai'), await byToken(null)]
  const suspendedBy = (by: Actor) => suspendPartner({ ...by, store: ledger.store.partners }, partnerId)
  await revokeToken({ accounts: store.accounts, by: access.change().by }, revoked.tokenId)
  await assertNothingWritten(ledger, () => suspendedBy(revoked.by))
  await disableOperator(access.change(), 'mai')
  await assertNothingWritten(ledger, () => suspendedBy(owned.by))
  await assertNothingWritten(ledger, () => suspendedBy({ ...expired.by, now: expired.by.now + 2 * dayMs }))
  await suspendedBy(expired.by)
})

test('a change is not committed after the role that allowed it was taken away, nor after a reset ended the sessions', async (t) => {
  const { ledger, access, bySession } = await aDesk(t)
  const suspendedBy = (by: Actor) => suspendPartner({ ...by, store: ledger.store.partners }, partnerId)
  const beforeRole = await bySession()
  await setRole(access.change(), 'mai', 'support')
  await assertNothingWritten(ledger, () => suspendedBy(beforeRole))
  await setRole(access.change(), 'mai', 'admin')
  await suspendedBy(beforeRole)
  await resetOperator(access.change(), 'mai', null)
  await assertNothingWritten(ledger, () => suspendedBy(beforeRole))
  await suspendedBy(await bySession())
})
