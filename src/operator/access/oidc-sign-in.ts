import type { Clock } from '../../clock.ts'
import type { Origin } from '../../partners/partner-store.ts'
import { actorOf, type RequestFacts } from './identify.ts'
import { NotProved } from './not-proved.ts'
import type { ProvedPerson } from './oidc.ts'
import { operatorIdOf } from './operator-id.ts'
import type { OperatorAccount, OperatorStore } from './operator-store.ts'
import { linkOperator } from './operators.ts'
import type { Passwords } from './passwords.ts'
import type { SignIn } from './sign-in.ts'

type Parts = { store: OperatorStore; signIn: SignIn; passwords: Passwords; clock: Pick<Clock, 'now'> }
type Attempt = { request: RequestFacts; requestId: string }

const origin: Origin = 'console'

/**
 * Begins a session for somebody whom the OpenID provider has proved. The provider says who it is; whether there is an account,
 * and what it may do, is decided here. Returns the secret of the session. Throws `NotProved`.
 */
export async function signInByOidc(
  { store: { accounts }, signIn, passwords, clock }: Parts,
  { oidcSubject, name }: ProvedPerson,
  attempt: Attempt,
): Promise<string> {
  const account = await accountOf(oidcSubject, name)
  if (account.status !== 'active')
    throw new NotProved('account-disabled', `the account "${account.operatorId}" is disabled`)
  const linked = account.oidcSubject === null ? await link(account) : account
  const secret = await signIn.begin(linked, 'oidc', attempt)
  if (secret === null)
    throw new NotProved(
      'account-disabled',
      `the account "${account.operatorId}" was reset or disabled meanwhile`,
    )
  return secret

  async function accountOf(subject: string, named: string | null): Promise<OperatorAccount> {
    const all = await accounts.operators()
    const known = all.find((one) => one.oidcSubject === subject)
    if (known !== undefined) return known
    if (named === null)
      throw new NotProved(
        'no-name',
        'the OpenID provider gives no name for an account, or an unverified e-mail address',
      )
    const operatorId = operatorIdOf(named)
    const found = all.find((one) => one.operatorId === operatorId)
    if (found === undefined)
      throw new NotProved('no-account', 'there is no account of this name: ask an admin for one')
    if (found.oidcSubject !== null)
      throw new NotProved(
        'other-person',
        `the account "${found.operatorId}" belongs to another person at the OpenID provider: an admin can reset that`,
      )
    return found
  }

  function link({ operatorId }: OperatorAccount): Promise<OperatorAccount> {
    const { address } = attempt.request
    const by = { actor: actorOf(operatorId), now: clock.now(), origin, address }
    return linkOperator({ accounts, passwords, by }, operatorId, oidcSubject)
  }
}
