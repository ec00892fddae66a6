import type { Identity, RequestFacts } from './identify.ts'
import { isSameText } from './secrets.ts'

const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a request of this method can change something. */
function isChanging(method: string): boolean {
  return !readingMethods.has(method.toUpperCase())
}

/**
 * Why a changing request must be refused, because another site may have made the browser send it; null if it is fine. A token
 * is sent by a script and never by a browser on its own.
 */
export function csrfProblem(
  request: RequestFacts,
  identity: Identity,
  operatorUrl: string | null,
): string | null {
  if (identity.session === null || !isChanging(request.method)) return null
  const sent = request.headers['x-csrf-token']
  if (typeof sent !== 'string' || !isSameText(sent, identity.session.csrfToken))
    return 'the header x-csrf-token is missing or wrong: take it from GET /operator/v1/session'
  return originProblem(request, operatorUrl)
}

/** The same before there is a session: another site must not sign somebody in, either. */
export function originProblem({ headers }: RequestFacts, operatorUrl: string | null): string | null {
  const site = headers['sec-fetch-site']
  const origin = headers.origin
  if (site === undefined && origin === undefined)
    return 'the request has neither Origin nor Sec-Fetch-Site: a script needs an API token, not a session'
  if (site !== undefined && site !== 'same-origin') return 'the request comes from another site'
  if (origin === undefined || isOwnOrigin(String(origin), String(headers.host), operatorUrl)) return null
  return operatorUrl === null
    ? 'the request comes from another site (Origin and Host differ)'
    : `the request does not come from ${operatorUrl}, which OPERATOR_URL names as the address of the console`
}

function isOwnOrigin(origin: string, host: string, operatorUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false
  return operatorUrl === null ? new URL(origin).host === host : origin === new URL(operatorUrl).origin
}
