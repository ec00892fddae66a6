import type { ReplaysOfDay } from '../answers/explain.ts'
import type { OrderReplays } from '../answers/order-replays.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { grouped } from './fitted-table.ts'
import { bold } from './output.ts'

/** How often an order was sent again, how soon after the award and with which key; and what is not known. */
export function orderReplaysText(replays: OrderReplays, partnerId: string): string {
  return [
    `${bold('Replays of this order')}: ${totalText(replays)}`,
    ...replays.byKey.map((key) => `  ${terminalSafe(key.keyId)}: ${grouped(key.replays)}, ${whenText(key)}`),
    ...unknownLines(replays, partnerId),
  ].join('\n')
}

function totalText({ total, isMinimum, since, problem }: OrderReplays): string {
  if (problem !== null) return `not known: ${terminalSafe(problem)}`
  if (since === null && total === 0) return 'not on record'
  if (total === 0) return isMinimum ? 'none on record' : 'none'
  return isMinimum ? `at least ${grouped(total)}` : grouped(total)
}

function whenText({ replays, firstAfterMs, lastAfterMs }: OrderReplays['byKey'][number]): string {
  const first = afterText(firstAfterMs)
  return replays === 1 ? `${first} after the award` : `${first} to ${afterText(lastAfterMs)} after the award`
}

function unknownLines({ someLeftOut, since, isMinimum, problem }: OrderReplays, partnerId: string): string[] {
  if (problem !== null) return []
  if (since === null)
    return ['  The server records replays by order unless REFUSAL_DAYS is 0; it has recorded none yet.']
  const begin = `  Replays are on record since ${since}`
  return [
    isMinimum && !someLeftOut ? `${begin}, which is after the award.` : `${begin}.`,
    ...(someLeftOut
      ? [
          `  Since the award, ${terminalSafe(partnerId)} sent more replays than are kept by order: some were left out.`,
        ]
      : []),
  ]
}

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** `0.4 s`, `42 s`, `5 min`, `3 h`, `2 days`: rounded down. */
function afterText(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < minuteMs) return `${Math.floor(ms / 1_000)} s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`
  return ms < 2 * dayMs ? `${Math.floor(ms / hourMs)} h` : `${Math.floor(ms / dayMs)} days`
}

export function dayReplaysText({ isCounted, total, byAge }: ReplaysOfDay): string {
  if (!isCounted && total === 0) return 'not known, the journal begins later'
  const ages = byAge.map(({ age, replays }) => `${grouped(replays)} ${age}`).join(', ')
  return `${grouped(total)}${ages === '' ? '' : ` (${ages})`}`
}
