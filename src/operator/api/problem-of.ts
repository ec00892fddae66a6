import { NotFindable } from '../../answers/find-kinds.ts'
import { Damaged, Unavailable } from '../../ledger/errors.ts'
import { NotPassed } from '../../partners/pass-accounts.ts'
import { NotFound, Refused } from '../../partners/refused.ts'
import { InexactSum } from '../../rules/entry-sums.ts'
import { NotATime } from '../../rules/iso-time.ts'
import { adviceFor, isDatabaseFailure, isNoAnswer } from '../../stores/open.ts'
import { NoLongerAdmitted } from '../access/still-admitted.ts'
import { ApiProblem } from './problem.ts'

const databaseFailed =
  'the database failed, and the log says how: if this was a change, look for it in the audit trail, and try again'
const retryAfter = { headers: { 'retry-after': '1' } }

/** The response to an error. The message of an unexpected one is logged, and not sent. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  if (error instanceof NoLongerAdmitted) return new ApiProblem(error.code, error.message)
  if (error instanceof NotFound) return new ApiProblem('NOT_FOUND', error.what)
  if (error instanceof Refused || error instanceof InexactSum) return new ApiProblem('REFUSED', error.message)
  if (error instanceof NotFindable) return new ApiProblem('INVALID_REQUEST', error.message)
  if (error instanceof NotPassed) return new ApiProblem('CHANGE_PENDING', error.message)
  const advice = adviceFor(error)
  if (advice !== null)
    return new ApiProblem('UNAVAILABLE', `the ledger cannot be used: ${advice}`, retryAfter)
  if (isNoAnswer(error))
    return new ApiProblem('UNAVAILABLE', 'the database does not respond: try again', retryAfter)
  if (isDatabaseFailure(error)) return new ApiProblem('UNAVAILABLE', databaseFailed, retryAfter)
  if (error instanceof Unavailable)
    return new ApiProblem('UNAVAILABLE', `${error.message}: try again`, retryAfter)
  if (error instanceof Damaged || error instanceof NotATime)
    return new ApiProblem('INTERNAL_ERROR', error.message)
  const { statusCode } = error as { statusCode?: number }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiProblem('INVALID_REQUEST', 'the request could not be read')
  return new ApiProblem('INTERNAL_ERROR', 'an unexpected error occurred: the log has it under the requestId')
}
