export type ProvedCounts = { entries: number; accounts: number; userDays: number }

/** The verdict. `fault` is the first fault found, in words; null when the ledger is sound. */
export type Verification = ProvedCounts & { sound: boolean; fault: string | null }

/** Called now and then with the share of the work that is done, from 0 to 1. */
export type OnProgress = (done: number) => void
