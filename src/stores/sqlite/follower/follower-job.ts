/**
 * Work of the follower between two requests, in steps of some milliseconds each. A step returns whether there is more to do
 * now; if not, the next one comes after the next request. `now` is the time of the last batch; null: none has come yet.
 */
export type FollowerJob = { step(now: number | null): boolean }
