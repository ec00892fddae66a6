/**
 * The world failed, not the request: the store is away, the queue is full, the deadline passed, or a commit's outcome
 * is not known. The partner sends the same order again; if it was credited after all, the replay finds it.
 */
export class Unavailable extends Error {}

/**
 * Others held a lock for too long, and nothing of the batch was written. Mostly somebody holds one lane, and the others
 * get through alone. In a crowd nobody is to blame yet: the batch is better tried again as a whole.
 */
export class LockTimeout extends Error {
  readonly inCrowd: boolean
  constructor(message: string, { inCrowd = false, ...options }: ErrorOptions & { inCrowd?: boolean } = {}) {
    super(message, options)
    this.inCrowd = inCrowd
  }
}

/** What is stored cannot be what was written. */
export class Damaged extends Error {}
