import type { ExplainedAward } from '../api-answers.ts'
import { grouped } from './numbers.ts'

type Replays = ExplainedAward['replays']

/** How often an order was sent again, as far as the journal knows it. */
export function replaysTitle({ total, isMinimum, since, problem }: Replays): string {
  if (problem !== null) return 'not known'
  if (total > 0) return isMinimum ? `at least ${grouped(total)}` : grouped(total)
  if (since === null) return 'not on record'
  return isMinimum ? 'none on record' : 'none'
}

/** Why there may have been more; null: all of them are on record. */
export function replaysMissing({ isMinimum, someLeftOut, since }: Replays): string | null {
  if (since === null)
    return 'The service records replays by order unless REFUSAL_DAYS is 0. It has recorded none yet.'
  if (someLeftOut)
    return 'Since this award, the partner sent more replays than are kept by order. Some were left out, so these are the least there were.'
  return isMinimum ? 'The award is older than the records of replays.' : null
}

/** Of all orders of the account, on the day of the award. */
export function replaysOfDay({ isCounted, total, byAge }: ExplainedAward['replaysOfDay']): string {
  if (!isCounted && total === 0) return 'Replays of that day are not known: the journal begins later.'
  const ages = byAge.map(({ age, replays }) => `${grouped(replays)} ${age}`).join(', ')
  return `This partner's replays in this tenant that day, of all orders: ${grouped(total)}${ages === '' ? '' : ` (${ages})`}.`
}
