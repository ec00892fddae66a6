import { constants, setPriority } from 'node:os'

/** A command that reads the whole ledger leaves the processor to the server beside it: awards are waited for. */
export function giveWay(): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
}
