import { Type } from 'typebox'
import { sessionCookie } from '../../access/cookies.ts'
import { NotProved } from '../../access/not-proved.ts'
import { signInByOidc } from '../../access/oidc-sign-in.ts'
import { ApiProblem } from '../problem.ts'
import { type Call, type Reply, route } from '../route.ts'
import { exact } from '../schemas/values.ts'
import { attemptOf } from './session.ts'

const tag = 'Session'
const seeOther = 303

export const oidcRoutes = [
  route({
    method: 'GET',
    path: '/oidc/start',
    tag,
    summary: 'Sign in by OpenID Connect: redirects to the provider',
    needs: 'anyone',
    query: exact({
      to: Type.Optional(
        Type.String({ maxLength: 500, description: 'The page of the console to show then.' }),
      ),
    }),
    status: seeOther,
    response: null,
    async handle(call) {
      return orBackToSignIn(call, async () => {
        const { url, setCookie } = await (await providerOf(call)).start(call.query.to ?? '/', call.address)
        return { body: null, headers: { location: url, 'set-cookie': setCookie } }
      })
    },
  }),

  route({
    method: 'GET',
    path: '/oidc/callback',
    tag,
    summary: 'The provider sends the browser back to here',
    needs: 'anyone',
    // A provider may add parameters of its own.
    query: Type.Object({}, { additionalProperties: true }),
    status: seeOther,
    response: null,
    async handle(call) {
      return orBackToSignIn(call, async () => {
        const { access } = call.parts
        const provider = await providerOf(call)
        const parameters = new URLSearchParams(call.query as Record<string, string>)
        const proved = await provider.finish(
          `/operator/v1/oidc/callback?${parameters}`,
          cookiesOf(call),
          call.address,
        )
        const secret = await signInByOidc(access, proved, attemptOf(call))
        const cookies = [sessionCookie(secret, access.cookies), provider.endedCookie]
        return { body: null, headers: { location: proved.to, 'set-cookie': cookies } }
      })
    },
  }),
]

type AnyCall = Pick<Call<unknown, unknown, unknown>, 'headers' | 'parts' | 'address' | 'requestId'>

async function providerOf({ parts }: AnyCall) {
  const { oidc } = parts.access
  if (oidc === null) throw new ApiProblem('NOT_FOUND', 'there is no OpenID provider: set OIDC_ISSUER')
  return oidc.open()
}

function cookiesOf({ headers }: AnyCall): string | undefined {
  return headers.cookie === undefined ? undefined : [headers.cookie].flat().join('; ')
}

/** A browser is here, and not a script: the sign-in page says what is wrong, and the access log more of it. */
async function orBackToSignIn(call: AnyCall, work: () => Promise<Reply<null>>): Promise<Reply<null>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NotProved)) throw error
    const { address, requestId } = call
    if (isNoted(error, call))
      await call.parts.access.record({
        kind: 'sign-in failed',
        actor: 'unknown',
        address,
        action: `sign-in by oidc: ${error.message}`,
        subject: null,
        requestId,
      })
    return { body: null, headers: { location: `/sign-in#problem=${error.code}` } }
  }
}

function isNoted({ code }: NotProved, { parts }: AnyCall): boolean {
  // Neither says anything about a person, and anybody can cause any number of them.
  if (code === 'not-started-here' || code === 'busy') return false
  return code !== 'provider-failed' || parts.access.oidc!.mayNoteFailure()
}
