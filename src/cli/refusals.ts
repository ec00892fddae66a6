import { type Command, InvalidArgumentError } from 'commander'
import { nearest } from '../answers/nearest.ts'
import { type RefusalAnswer, refusals } from '../answers/refusals.ts'
import { systemClock } from '../clock.ts'
import { type RefusalCode, refusalCodes } from '../journal/result-code.ts'
import { count } from '../terminal/safe-text.ts'
import { answerIsNo } from './exit-codes.ts'
import { fitLines, fittedTable, grouped } from './fitted-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { print } from './output.ts'
import { refusalText } from './refusal-text.ts'
import { limitArgument, sinceArgument, untilArgument } from './time-arguments.ts'

type RefusalOptions = DatabaseOptions & {
  partner?: string
  tenant?: string
  since?: number
  until?: number
  code?: RefusalCode
  limit: number
}

export function refusalsCommand(program: Command): void {
  withDatabaseOptions(program.command('refusals'))
    .description(
      'show what was refused and why, and what was sent twice (replays): counts, then rows; exit code 3 if nothing was refused',
    )
    .option('--partner <id>', 'only requests of this partner; "(unknown)" for those without a known key')
    .option('--tenant <tenant>', 'only requests for this tenant')
    .option(
      '--since <time>',
      'since then: 24h (default), yesterday, 2026-11-16, 2026-11-16T08:30:00Z',
      sinceArgument,
    )
    .option('--until <time>', 'before then, in the same forms; a day is included', untilArgument)
    .option('--code <code>', 'only refusals with this code, such as DAILY_CAP_EXCEEDED', codeArgument)
    .option('--limit <n>', 'at most this many rows', limitArgument, 20)
    .action(async (options: RefusalOptions) => {
      const {
        partner: partnerId,
        tenant: tenantId,
        since = sinceArgument('24h'),
        until,
        code,
        limit,
      } = options
      const answer = await withJournal(options, (ports) =>
        refusals(ports, { since, until, now: systemClock.now(), partnerId, tenantId, code, limit }),
      )
      print(answer, options, () => fitLines(refusalsText(answer)))
      if (answer.total === 0 && answer.rows.length === 0) process.exitCode = answerIsNo
    })
}

function codeArgument(text: string): RefusalCode {
  const code = refusalCodes.find((known) => known === text.toUpperCase())
  if (code !== undefined) return code
  const near = nearest(text.toUpperCase(), refusalCodes)
  throw new InvalidArgumentError(
    near === null ? `It must be one of ${refusalCodes.join(', ')}.` : `Did you mean ${near}?`,
  )
}

function refusalsText(answer: RefusalAnswer): string {
  const { countedSince, countedUntil, total, counts, replays, rows, rowsSince } = answer
  const retries = replays.length > 0 ? [replaysText(replays)] : []
  const period = `since ${countedSince}${countedUntil === null ? '' : ` until ${countedUntil}`}`
  if (total === 0 && rows.length === 0) return [`nothing was refused ${period}`, ...retries].join('\n\n')
  const summary = fittedTable(
    [
      { heading: 'partner', wraps: true },
      { heading: 'code' },
      { heading: 'cap' },
      { heading: 'refusals', align: 'right' },
      { heading: 'EP', align: 'right' },
    ],
    counts.map(({ partnerId, code, cap, refusals, points }) => [
      partnerId,
      code,
      cap ?? '-',
      grouped(refusals),
      grouped(points),
    ]),
  )
  const kept =
    rowsSince === null
      ? 'no single refusal is on record'
      : `the newest ${count(rows.length, 'refusal')}; single refusals are on record since ${rowsSince}`
  return [
    `${count(total, 'refusal')} ${period}`,
    ...(total > 0 ? [summary] : []),
    ...retries,
    kept,
    ...rows.map(refusalText),
  ].join('\n\n')
}

function replaysText(replays: RefusalAnswer['replays']): string {
  const total = replays.reduce((sum, { replays }) => sum + replays, 0)
  return `${count(total, 'replay')} of credited orders: ${replays.map(({ age, replays }) => `${replays} ${age}`).join(', ')}`
}
