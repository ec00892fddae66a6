/**
 * The world failed, not the request: the store is away, the queue is full, the deadline passed, or a commit's outcome
 * is not known. The partner sends the same order again; if it was credited after all, the replay finds it.
 */
export class Unavailable extends Error {}

/** Somebody else held a lock for too long, and nothing of the batch was written. Most of its lanes may get through alone. */
export class LockTimeout extends Error {}

/** What is stored cannot be what was written. */
export class Damaged extends Error {}
