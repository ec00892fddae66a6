import { constants, setPriority } from 'node:os'

/** Commands that read the whole ledger run at low priority: clients of the server on the same machine wait for awards. */
export function lowerPriority(): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}
