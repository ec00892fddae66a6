/** Why nobody was signed in by OpenID Connect, for the sign-in page. It has the sentences; a link could claim anything. */
type NotProvedCode =
  | 'provider-failed'
  | 'not-started-here'
  | 'busy'
  | 'no-name'
  | 'no-account'
  | 'other-person'
  | 'account-disabled'

/** The OpenID provider does not prove who it is, there is no account for it, or the sign-in was not started here. */
export class NotProved extends Error {
  readonly code: NotProvedCode

  /** The message is for the access log. */
  constructor(code: NotProvedCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
