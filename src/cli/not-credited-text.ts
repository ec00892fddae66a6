import type { Explanation } from '../answers/explain.ts'
import type { Forecast } from '../answers/forecast.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { type Column, fittedTable, grouped } from './fitted-table.ts'
import { bold } from './output.ts'
import { refusalText } from './refusal-text.ts'

type NotCredited = Extract<Explanation, { credited: false }>

export function notCreditedText({ partnerId, orderId, journal, now }: NotCredited): string {
  return [
    bold(terminalSafe(`${partnerId}'s order ${orderId} is not in the ledger`)),
    refusedText(journal),
    forecastText(now),
  ].join('\n\n')
}

function refusedText({ refusals, since, problem }: NotCredited['journal']): string {
  if (problem !== null) return `Whether it was refused is not known: ${terminalSafe(problem)}`
  if (refusals.length > 0)
    return `It was refused (${count(refusals.length, 'refusal')} on record):\n\n${refusals.map(refusalText).join('\n\n')}`
  return since === null
    ? 'No refusal is on record: the journal has none at all.'
    : `No refusal on record since ${since}.`
}

function forecastText(now: Forecast[]): string {
  const rows = now.map(({ tenantId, amount, userEmail, outcome, largest }) => [
    tenantId,
    amount === null ? 'not known' : amount === 0 ? 'below 1 EP' : grouped(amount),
    outcome.kind === 'credit'
      ? `credited with ${grouped(outcome.points)} EP${userEmail === null ? ', if perUserDay allows it' : ''}`
      : `refused: ${whyText(outcome)}`,
    largest === null ? 'none' : `${grouped(largest)} EP`,
  ])
  const columns: Column[] = [
    { heading: 'tenant', wraps: true },
    { heading: 'amount', align: 'right' },
    { heading: 'would be', wraps: true },
    { heading: 'largest that fits', align: 'right' },
  ]
  return [
    'If it were sent now:',
    fittedTable(columns, rows),
    ...(now.some(({ amount }) => amount === null)
      ? ['Without its amount, this is about the smallest award, 1 EP: add --amount N.']
      : []),
    ...(now.some(({ userEmail }) => userEmail === null)
      ? ['perUserDay is not checked, because the user is not known: add --user EMAIL.']
      : []),
  ].join('\n')
}

type Why = { code: string; cap?: unknown; limit?: unknown; requested?: unknown; used?: unknown }

/** The code, and the members that say why. */
function whyText({ code, cap, limit, requested, used }: Why): string {
  const values = Object.entries({ cap, limit, requested, used })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? grouped(value) : value}`)
  return [code, ...values].join(', ')
}
