import type { Deployment } from './deployment.ts'

/** What is counted over all runs. */
export type Tally = {
  operations: number
  credited: number
  /** Awards with an unknown outcome, whose senders had to check. */
  unknown: number
  /** Of these, the ones without an injected fault. */
  unasked: number
  /** How often each named fault fired. */
  faults: Map<string, number>
}

/** Disarms the fault; returns its name if it has fired, and counts it. */
export function endFault({ faults }: Deployment, tally: Tally): string | null {
  const fault = faults.disarm()
  if (fault !== null) tally.faults.set(fault, (tally.faults.get(fault) ?? 0) + 1)
  return fault
}
