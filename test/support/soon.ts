import { Unavailable } from '../../src/ledger/errors.ts'

/** Retries if the database was too busy to respond in time: a machine busy with tests is not a bug of the service. */
export async function soon<T>(open: () => Promise<T>, attempts = 5): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (attempts === 1 || !(error instanceof Unavailable)) throw error
    return soon(open, attempts - 1)
  }
}
