import { isoTime } from '../../../rules/iso-time.ts'
import type { ApiToken, LastUse } from '../../access/operator-store.ts'
import { permissionNames, permissions } from '../../access/permissions.ts'
import { createToken, revokeToken } from '../../access/tokens.ts'
import { metricsAccessPath } from '../../metrics/scrape-access.ts'
import { actorIn } from '../operator-of.ts'
import { ApiProblem } from '../problem.ts'
import { route } from '../route.ts'
import { issuedToken, newToken, token, tokenList } from '../schemas/access.ts'
import { reasonOnly } from '../schemas/partners.ts'
import { exact, text } from '../schemas/values.ts'

const tag = 'Operators and tokens'
const dayMs = 86_400_000

export const tokenRoutes = [
  route({
    method: 'GET',
    path: '/tokens',
    tag,
    summary: 'API tokens, their scopes and last use',
    needs: 'operators.read',
    response: tokenList,
    async handle({ parts }) {
      const { accounts, sessions } = parts.access.store
      const uses = await sessions.lastUses()
      return {
        body: {
          tokens: (await accounts.tokens()).map((one) => shown(one, uses)),
          scopes: permissionNames.map((scope) => ({ scope, about: permissions[scope] })),
        },
      }
    },
  }),

  route({
    method: 'GET',
    path: metricsAccessPath,
    tag,
    summary: 'Whether you may read /metrics from another machine',
    needs: 'metrics.read',
    status: 204,
    response: null,
    handle: async () => ({ body: null }),
  }),

  route({
    method: 'POST',
    path: '/tokens',
    tag,
    summary: 'Create a token, which acts for you',
    description:
      'It can do what its scopes say, as long as your role allows it, and ends with your account. The secret is only in this response.',
    needs: 'tokens.write',
    body: newToken,
    status: 201,
    response: issuedToken,
    async handle(call) {
      const { name, scopes, expiresInDays, reason } = call.body
      const { permissions: own, operatorId } = call.identity!
      const tooMuch = scopes.find((scope) => !own.has(scope))
      if (tooMuch !== undefined)
        throw new ApiProblem('REFUSED', `you cannot give a token the scope ${tooMuch}, which you do not have`)
      const { secret, tokenId, expiresAt } = await createToken(
        { accounts: call.parts.access.store.accounts, by: actorIn(call, reason) },
        { name, scopes, operatorId, expiresAt: call.now + expiresInDays * dayMs },
      )
      return { body: { tokenId, name, secret, expiresAt: isoTime(expiresAt) } }
    },
  }),

  route({
    method: 'POST',
    path: '/tokens/{tokenId}/revoke',
    tag,
    summary: 'Revoke a token: it stops working at once',
    description: 'A token that was already revoked is refused.',
    needs: 'tokens.write',
    params: exact({ tokenId: text("The token's id.") }),
    body: reasonOnly,
    response: token,
    async handle(call) {
      const { accounts, sessions } = call.parts.access.store
      const revoked = await revokeToken(
        { accounts, by: actorIn(call, call.body.reason) },
        call.params.tokenId,
      )
      return { body: shown(revoked, await sessions.lastUses()) }
    },
  }),
]

function shown(
  { tokenId, name, scopes, operatorId, createdAt, expiresAt, revokedAt }: ApiToken,
  uses: LastUse[],
) {
  const last = uses.find(({ subject }) => subject === `token ${tokenId}`)
  return {
    tokenId,
    name,
    scopes,
    operatorId,
    createdAt: isoTime(createdAt, 'operator_tokens'),
    expiresAt: isoTime(expiresAt, 'operator_tokens'),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt, 'operator_tokens'),
    lastUse: last === undefined ? null : isoTime(last.at, 'operator_last_uses'),
    lastAddress: last?.address ?? null,
  }
}
