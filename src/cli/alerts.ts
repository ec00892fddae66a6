import { type Command, InvalidArgumentError } from 'commander'
import { type AlertKind, alertKinds } from '../alerts/alert.ts'
import { type AlertsAnswer, alerts, type ShownAlert } from '../answers/alerts.ts'
import { nearest } from '../answers/nearest.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { answerIsNo } from './exit-codes.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { bold, print } from './output.ts'
import { limitArgument, sinceArgument } from './time-arguments.ts'

type AlertOptions = DatabaseOptions & { partner?: string; since?: number; kind?: AlertKind; limit: number }

export function alertsCommand(program: Command): void {
  withDatabaseOptions(program.command('alerts'))
    .description('show what operators were told, newest first; exit code 3 if there was nothing')
    .option('--partner <id>', 'only alerts about this partner')
    .option(
      '--since <time>',
      'raised since then, or open: 24h (default), 2026-11-16, 2026-11-16T08:30:00Z',
      sinceArgument,
    )
    .option('--kind <kind>', `only alerts of this kind: ${alertKinds.join(', ')}`, kindArgument)
    .option('--limit <n>', 'at most this many', limitArgument, 100)
    .action(async (options: AlertOptions) => {
      const { partner: partnerId, since = sinceArgument('24h'), kind, limit } = options
      const answer = await withJournal(options, ({ queries, journal }) =>
        alerts(queries, journal, { since, partnerId, kind, limit }),
      )
      print(answer, options, () => alertsText(answer))
      if (answer.alerts.length === 0) process.exitCode = answerIsNo
    })
}

function kindArgument(text: string): AlertKind {
  const kind = alertKinds.find((known) => known === text)
  if (kind !== undefined) return kind
  const near = nearest(text, alertKinds)
  const meant = near === null ? '' : ` Did you mean ${near}?`
  throw new InvalidArgumentError(`It must be one of ${alertKinds.join(', ')}.${meant}`)
}

function alertsText({ alerts, older }: AlertsAnswer): string {
  if (alerts.length === 0) return 'no alerts'
  const more = older === 0 ? [] : [`${count(older, 'older alert')}: --limit shows more`]
  return [...alerts.map(alertLines), ...more].join('\n\n')
}

function alertLines({ kind, raisedAt, endedAt, text }: ShownAlert): string {
  const state = endedAt === null ? 'open' : `until ${endedAt}`
  return [bold(`${raisedAt}  ${kind}  (${state})`), `  ${terminalSafe(text)}`].join('\n')
}
