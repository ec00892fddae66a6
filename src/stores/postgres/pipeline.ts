import type { Client, Result } from './database.ts'

/**
 * A named statement is prepared once on each connection. `affects`: how many rows it has to write, if it says so.
 * `query_timeout`: a limit of its own for the response, in milliseconds.
 */
export type Statement = {
  name?: string
  text: string
  values?: unknown[]
  affects?: number
  query_timeout?: number
}

/**
 * Sends statements at once and waits for all of them: one round trip. The driver would write each to the socket by
 * itself; held back until the last, they are one write, and the database reads them together.
 */
export async function pipelined(
  client: Client,
  statements: Statement[],
): Promise<PromiseSettledResult<Result>[]> {
  const { stream } = client.connection
  stream.cork()
  const results = Promise.allSettled(statements.map((statement) => client.query(statement)))
  stream.uncork()
  return results
}

/** The results, where all of them succeeded; otherwise the first error: those after it only say so again. */
export function allOf(settled: PromiseSettledResult<Result>[]): Result[] {
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
