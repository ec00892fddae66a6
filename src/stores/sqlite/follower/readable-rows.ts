import { basename } from 'node:path'
import { Damaged } from '../../../ledger/errors.ts'

/** Reads rows of the operator file. An integer beyond 2^53 does not fit in a number: somebody changed the row. */
export function readableRows<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const value = /-?\d+$/.exec(error.message)?.[0] ?? error.message
    throw new Damaged(
      `a row of ${basename(file)} cannot be read: it holds ${value}, more than any number of ours. The file was changed from outside. It is not the ledger: correct the row, or delete the file with its -wal and -shm, and the server begins a new one, without the refusals, sessions and access log of this one`,
    )
  }
}
