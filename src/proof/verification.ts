export type ProvedCounts = { entries: number; accounts: number; userDays: number }

/** The verdict. `fault` is the first fault found, in words; null when the ledger is sound. */
export type Verification = ProvedCounts & { sound: boolean; fault: string | null }

/**
 * What a `verify` has checked to come to its verdict, each including the ones before: the ledger itself; also the indexes of
 * the entries and the sums for reports, as beside a server; and also the whole file, by the database's own check.
 */
export const extents = ['ledger', 'indexes', 'file'] as const
export type Extent = (typeof extents)[number]

/** Called now and then with the share of the work that is done, from 0 to 1. */
export type OnProgress = (done: number) => void
