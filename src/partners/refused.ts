/** An operator's request that is refused. Nothing was changed; the message says what to do. */
export class Refused extends Error {}

/** What a request names is not there. */
export class NotFound extends Refused {
  /** Without the advice, which is for the command line. */
  readonly what: string

  constructor(what: string, advice: string) {
    super(`${what}: ${advice}`)
    this.what = what
  }
}
