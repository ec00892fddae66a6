import { type Actor, changeBy } from '../../partners/operator.ts'
import { nameProblem } from '../../partners/partner-name.ts'
import { Refused, refusedOnceDurable } from '../../partners/refused.ts'
import { isoTime } from '../../rules/iso-time.ts'
import type { ApiToken, OperatorAccounts } from './operator-store.ts'
import { type Permission, permissionNames } from './permissions.ts'
import { hashOfSecret, newTokenId, newTokenSecret } from './secrets.ts'

type TokenChange = { accounts: OperatorAccounts; by: Actor }

type NewToken = {
  name: string
  scopes: Permission[]
  expiresAt: number
  /** The account that it acts for; null: none. */
  operatorId: string | null
}

/** The secret is returned only here. */
type IssuedToken = ApiToken & { secret: string }

const tokensMax = 1_000
const dayMs = 86_400_000
const daysMax = 400

export async function createToken(
  { accounts, by }: TokenChange,
  { name, scopes, expiresAt, operatorId }: NewToken,
): Promise<IssuedToken> {
  const problem = nameProblem(name)
  if (problem !== null) throw new Refused(`the token's name ${problem}`)
  if (scopes.length === 0)
    throw new Refused(`a token needs at least one scope: ${permissionNames.join(', ')}`)
  if (!(expiresAt > by.now && expiresAt <= by.now + daysMax * dayMs))
    throw new Refused(`a token expires within 1 s to ${daysMax} days`)
  const secret = newTokenSecret()
  const tokenId = newTokenId()
  const token = await accounts.changeToken(tokenId, changeBy(by, 'token create'), (_, all) => {
    if (
      all.filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > by.now).length >= tokensMax
    )
      throw new Refused(`there can be at most ${tokensMax} live tokens: revoke one first`)
    return {
      tokenId,
      name,
      tokenHash: hashOfSecret(secret),
      scopes: permissionNames.filter((one) => scopes.includes(one)),
      operatorId,
      createdAt: by.now,
      expiresAt,
      revokedAt: null,
    }
  })
  return { ...token, secret }
}

/** It stops working at once. If it was revoked before, perhaps another one was meant, so that is refused. */
export function revokeToken({ accounts, by }: TokenChange, tokenId: string): Promise<ApiToken> {
  return refusedOnceDurable(accounts, () =>
    accounts.changeToken(tokenId, changeBy(by, 'token revoke'), (before) => {
      if (before === undefined) throw new Refused(`there is no token "${tokenId}": token list shows them all`)
      if (before.revokedAt !== null)
        throw new Refused(
          `the token "${tokenId}" was already revoked at ${isoTime(before.revokedAt, 'operator_tokens')}`,
        )
      return { ...before, revokedAt: by.now }
    }),
  )
}
