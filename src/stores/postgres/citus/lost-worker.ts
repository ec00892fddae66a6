/**
 * Whether an error of the coordinator means that it has lost a worker. Citus reports that as an internal error (XX000),
 * in the words that its network library found; what tells it from a bug is the function that reports it.
 */
export function isWorkerLost(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === 'XX000' && reportsLoss.has(routine ?? '')
}

/** Also where the coordinator could not connect to it at all. */
export function isWorkerAway(error: unknown): boolean {
  return isWorkerLost(error) || (error as { code?: string }).code === '08006'
}

/** An error of a worker's own has its SQLSTATE there, and one without any means that the connection broke. */
const reportsLoss = new Set([
  'ReportResultError',
  'MarkRemoteTransactionFailed',
  'CheckRemoteTransactionsHealth',
  'HandleRemoteTransactionConnectionError',
])
