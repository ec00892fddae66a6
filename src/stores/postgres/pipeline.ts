import type { Client, Result } from './database.ts'

/** A named statement is prepared once on each connection. */
export type Statement = { name?: string; text: string; values?: unknown[] }

/** Sends statements at once and waits for all of them: one round trip. */
export async function pipelined(
  client: Client,
  statements: Statement[],
): Promise<PromiseSettledResult<Result>[]> {
  return Promise.allSettled(statements.map((statement) => client.query(statement)))
}

/** The results, where all of them succeeded; otherwise the first error: those after it only say so again. */
export function allOf(settled: PromiseSettledResult<Result>[]): Result[] {
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
