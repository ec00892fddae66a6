import type { Alert } from './alert.ts'

/** What this check found to begin, and what is open now. */
export type AlertCheck = { begun: Alert[]; open: Alert[] }

/** Compares the ledger and the journal with the rules, and records what begins and what is over, once for all processes. */
export type AlertChecker = { checkAlerts(now: number): Promise<AlertCheck> }
