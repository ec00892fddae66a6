/** Every error of the API, and its status. The console and scripts look at the code. */
export const apiProblems = {
  INVALID_REQUEST: { status: 400, title: 'The request breaks a rule' },
  NOT_SIGNED_IN: { status: 401, title: 'Sign in first' },
  SIGN_IN_FAILED: { status: 401, title: 'The name or the password is wrong' },
  NOT_PERMITTED: { status: 403, title: 'Your role does not allow this' },
  CSRF_REFUSED: { status: 403, title: 'The request does not come from the console' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path takes another method' },
  NOT_ACCEPTABLE: { status: 406, title: 'There is no such format' },
  CONFLICT: { status: 409, title: 'Not possible now' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be JSON' },
  REFUSED: { status: 422, title: 'The change is not possible' },
  TOO_MANY_ATTEMPTS: { status: 429, title: 'Too many attempts' },
  INTERNAL_ERROR: { status: 500, title: 'Internal error' },
  CHANGE_PENDING: { status: 503, title: 'The change is committed, but not yet in force everywhere' },
  UNAVAILABLE: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

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

/** The body of RFC 9457. */
export function problemBody({ code, message, members }: ApiProblem, requestId: string) {
  const { status, title } = apiProblems[code]
  return { type: 'about:blank', title, status, code, detail: message, requestId, ...members }
}
