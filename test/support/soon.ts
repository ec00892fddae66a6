import { Unavailable } from '../../src/ledger/errors.ts'

/** Tried again where the database was too busy to answer in time: a machine full of tests is no fault of the service. */
export async function soon<T>(open: () => Promise<T>, attempts = 5): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (attempts === 1 || !(error instanceof Unavailable)) throw error
    return soon(open, attempts - 1)
  }
}
