import { STATUS_CODES } from '../../wire/node-http.ts'

/** Every error of the API, and its status. The console and scripts look at the code. */
export const apiProblems = {
  INVALID_REQUEST: 400,
  NOT_SIGNED_IN: 401,
  SIGN_IN_FAILED: 401,
  NOT_PERMITTED: 403,
  CSRF_REFUSED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  UNSUPPORTED_MEDIA_TYPE: 415,
  REFUSED: 422,
  TOO_MANY_ATTEMPTS: 429,
  INTERNAL_ERROR: 500,
  CHANGE_PENDING: 503,
  UNAVAILABLE: 503,
} as const satisfies Record<string, number>

type ApiProblemCode = keyof typeof apiProblems

type Details = {
  /** What the code adds to the body. */
  members?: Record<string, unknown>
  headers?: Record<string, string | string[]>
}

/** An error response. The message is its `detail`: one sentence for the operator. */
export class ApiProblem extends Error {
  readonly code: ApiProblemCode
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string | string[]>

  constructor(code: ApiProblemCode, detail: string, { members = {}, headers = {} }: Details = {}) {
    super(detail)
    this.code = code
    this.members = members
    this.headers = headers
  }
}

/** The body of RFC 9457. There is no page about the code, so that the title is the name of the status. */
export function problemBody({ code, message, members }: ApiProblem, requestId: string) {
  const status = apiProblems[code]
  return {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    code,
    detail: message,
    requestId,
    ...members,
  }
}
