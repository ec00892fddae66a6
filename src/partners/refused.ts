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

/** What a refusal rests on may be a change that was not confirmed: it is told once that is durable. */
export async function refusedOnceDurable<T>(
  store: { settle(): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refused) await store.settle()
    throw error
  }
}
