import type { FastifyInstance } from 'fastify'
import { passedHeaders, signedInHeader } from '../app.ts'
import type { PassedRequest, PassedResponse } from './messages.ts'

/** Gives the API a request that the main thread has passed on. What a client sent under our own names is overwritten. */
export async function injectPassed(
  app: FastifyInstance,
  { method, url, headers, body, address, requestId, now }: Omit<PassedRequest, 'id'>,
): Promise<Omit<PassedResponse, 'id'>> {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: {
      ...headers,
      [passedHeaders.address]: address ?? '',
      [passedHeaders.requestId]: requestId,
      [passedHeaders.now]: String(now),
    },
    ...(body === null ? {} : { payload: Buffer.from(body) }),
  })
  const { [signedInHeader]: signedIn, ...sent } = response.headers
  return {
    status: response.statusCode,
    headers: sent as PassedResponse['headers'],
    body: new Uint8Array(response.rawPayload),
    code: response.statusCode < 400 ? null : codeOf(response.payload),
    signedInAs: signedIn === undefined ? null : String(signedIn),
  }
}

function codeOf(problem: string): string | null {
  return JSON.parse(problem).code ?? null
}
