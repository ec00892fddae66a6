import type { Slow } from '../../answers/ledger-queries.ts'

/** Nobody sees the progress of a request. */
export const silentSearch: Slow = { say() {}, show() {} }
