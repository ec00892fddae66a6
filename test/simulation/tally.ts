import type { Deployment } from './deployment.ts'

/** What is counted over all runs. */
export type Tally = {
  operations: number
  credited: number
  /** Awards that got no answer, whose senders had to look. */
  unknown: number
  /** Of these, the ones for which there was no fault of ours. */
  unasked: number
  /** How often each named fault fired. */
  faults: Map<string, number>
}

/** Takes back the fault that was armed; gives its name if it has fired, and counts it. */
export function endFault({ faults }: Deployment, tally: Tally): string | null {
  const fault = faults.disarm()
  if (fault !== null) tally.faults.set(fault, (tally.faults.get(fault) ?? 0) + 1)
  return fault
}
