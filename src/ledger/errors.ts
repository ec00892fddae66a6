/**
 * Not the request's fault: the store is unreachable, the queue is full, the deadline has passed, or the outcome of a
 * commit is unknown. The partner retries the same order; if it was credited after all, the replay finds it.
 */
export class Unavailable extends Error {
  /** What partners read, where the message is about our machine. Null: they may read the message. */
  readonly forPartners: string | null

  constructor(
    message: string,
    { forPartners = null, ...options }: ErrorOptions & { forPartners?: string | null } = {},
  ) {
    super(message, options)
    this.forPartners = forPartners
  }
}

/**
 * Another transaction held a lock for too long, or a worker of a Citus cluster is away, and nothing of the batch was written.
 * Usually that concerns only some of its lanes, and the others succeed when each is tried alone. Where many nodes
 * compete for the same accounts (`inCrowd`), the batch is better retried as a whole.
 */
export class LockTimeout extends Error {
  readonly inCrowd: boolean
  constructor(message: string, { inCrowd = false, ...options }: ErrorOptions & { inCrowd?: boolean } = {}) {
    super(message, options)
    this.inCrowd = inCrowd
  }
}

/** Rows that an award needs are on a damaged page. The other awards of its batch may need none of them: each is tried alone. */
export class DamagedRows extends Unavailable {}

/** Stored data was damaged or changed from outside. */
export class Damaged extends Error {}
