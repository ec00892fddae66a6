/** Why a request failed, in the words of the service's problem document. */
export class ApiProblem extends Error {
  /** 0: there was no response. */
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor({ status, code, detail, requestId, retryAfterSeconds }: Problem) {
    super(detail)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

type Problem = {
  status: number
  code: string
  detail: string
  requestId: string | null
  retryAfterSeconds: number | null
}

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type RequestOptions = { body?: unknown; signal?: AbortSignal | undefined; accept?: string }

export type Api = {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  /** In another media type than JSON, as it is. */
  text(path: string, type: string): Promise<string>
  /** A change, or a question whose text must not stand in a URL. */
  send<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T>
  /** The service's time, by the Date header of its last response: the clock of a laptop may be wrong. */
  now(): number
}

export const apiStart = '/operator/v1'

/**
 * `signIn` is called when the session has ended. It resolves once there is another: the request is then repeated.
 * `renewToken` is called when the token is that of an earlier session, because somebody has signed in in another tab.
 */
export function createApi({
  csrfToken,
  signIn,
  renewToken,
  clock,
}: {
  csrfToken(): string | null
  signIn(): Promise<void>
  renewToken(): Promise<void>
  clock: { now(): number }
}): Api {
  let aheadMs = 0

  async function request<T>(method: Method | 'GET', path: string, body: unknown, signal?: AbortSignal) {
    const response = await responseTo(method, path, { body, signal })
    return (response.status === 204 ? undefined : await response.json()) as T
  }
  async function responseTo(
    method: Method | 'GET',
    path: string,
    options: RequestOptions,
  ): Promise<Response> {
    let isRenewed = false
    for (;;) {
      const response = await fetched(method, path, options)
      noteTime(response.headers.get('date'))
      if (response.ok) return response
      const problem = await problemOf(response)
      if (problem.code === 'NOT_SIGNED_IN') await signIn()
      else if (problem.code === 'CSRF_REFUSED' && !isRenewed && csrfToken() !== null) {
        await renewToken()
        isRenewed = true
      } else throw problem
    }
  }
  function fetched(method: string, path: string, options: RequestOptions): Promise<Response> {
    const { body, signal, accept = 'application/json' } = options
    const token = csrfToken()
    const headers = {
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' || token === null ? {} : { 'x-csrf-token': token }),
    }
    return fetch(`${apiStart}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new ApiProblem({ ...noResponse })
    })
  }
  /** Whole seconds, rounded down by the service: a smaller difference says nothing. */
  function noteTime(date: string | null): void {
    const difference = date === null ? 0 : Date.parse(date) - clock.now()
    aheadMs = Math.abs(difference) > 2_000 ? difference : 0
  }
  return {
    get: (path, signal) => request('GET', path, undefined, signal),
    text: async (path, type) => (await responseTo('GET', path, { accept: type })).text(),
    send: (method, path, body, signal) => request(method, path, body, signal),
    now: () => clock.now() + aheadMs,
  }
}

const noResponse: Problem = {
  status: 0,
  code: 'NO_RESPONSE',
  detail: 'The service did not respond. Check that it runs and that this machine can reach it.',
  requestId: null,
  retryAfterSeconds: null,
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { status, headers } = response
  const document = await response.json().catch(() => ({}))
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  return new ApiProblem({
    status,
    code: document.code ?? `HTTP ${status}`,
    detail: document.detail ?? document.title ?? `The service responded with HTTP ${status}.`,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  })
}
