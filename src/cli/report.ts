import { type Command, InvalidArgumentError } from 'commander'
import { type ReportAnswer, type ReportDimension, report, reportDimensions } from '../answers/report.ts'
import { refusalCount, reportCsv } from '../answers/report-csv.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { type Column, fitLines, fittedTable, grouped } from './fitted-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { bold, print } from './output.ts'
import { dayArgument } from './time-arguments.ts'

type ReportOptions = DatabaseOptions & {
  from: number
  to: number
  by: ReportDimension[]
  partner?: string
  tenant?: string
  csv?: boolean
}

export function reportCommand(program: Command): void {
  withDatabaseOptions(program.command('report'))
    .description('add up awards, EP, raw amounts and refusals of a period; without sandbox tenants')
    .requiredOption('--from <day>', 'first Vietnam day, such as 2026-11-01', dayArgument)
    .requiredOption('--to <day>', 'last day, included', dayArgument)
    .option(
      '--by <list>',
      'a row for each partner, tenant or day: a list such as partner,tenant,day',
      dimensionsArgument,
      ['partner', 'tenant'] as ReportDimension[],
    )
    .option('--partner <id>', 'only this partner')
    .option('--tenant <tenant>', 'only this tenant, also if it is a sandbox')
    .option('--csv', 'print comma-separated values')
    .action(async (options: ReportOptions, command: Command) => {
      if (options.csv && options.json) command.error('specify --csv or --json, not both')
      const { from, to, by, partner: partnerId, tenant: tenantId } = options
      const answer = await withJournal(options, (sources) =>
        report(sources, { from, to, by, partnerId, tenantId }),
      )
      print(answer, options, () => (options.csv ? reportCsv(answer) : fitLines(reportText(answer))))
    })
}

function dimensionsArgument(text: string): ReportDimension[] {
  const names = text.split(',')
  const known = names.filter((name) => (reportDimensions as readonly string[]).includes(name))
  if (known.length < names.length || new Set(names).size < names.length)
    throw new InvalidArgumentError('It must be a list of partner, tenant and day, each once: partner,day.')
  return known as ReportDimension[]
}

const rowFields = { partner: 'partnerId', tenant: 'tenantId', day: 'day' } as const
const figures = ['awards', 'points', 'rawAmount', 'remainder'] as const

function reportText(answer: ReportAnswer): string {
  const { from, to, by, rows, total, sandboxTenantsLeftOut, refusalsSince } = answer
  const columns: Column[] = [
    ...by.map((heading) => ({ heading, wraps: heading !== 'day' })),
    { heading: 'awards', align: 'right' },
    { heading: 'EP', align: 'right' },
    { heading: 'raw amount', align: 'right' },
    { heading: 'remainder', align: 'right' },
    { heading: 'refusals', align: 'right' },
  ]
  const cells = (row: ReportAnswer['total']) => [
    ...figures.map((figure) => grouped(row[figure])),
    refusalsSince === null ? '-' : grouped(refusalCount(row)),
  ]
  const body = rows.map((row) => [...by.map((dimension) => row[rowFields[dimension]]!), ...cells(row)])
  const totals = [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cells(total)]
  return [
    `${bold(`${from} to ${to}`)} (Vietnam days)`,
    rows.length === 0 ? 'no awards and no refusals' : fittedTable(columns, [...body, totals]),
    ...refusalsText(answer),
    ...(sandboxTenantsLeftOut.length === 0
      ? []
      : [`Without the sandbox tenants: ${sandboxTenantsLeftOut.map(terminalSafe).join(', ')}`]),
  ].join('\n\n')
}

function refusalsText({ total, refusalsSince }: ReportAnswer): string[] {
  if (refusalsSince === null) return ['Refusals are not known: there is no journal yet.']
  const counts = Object.entries(total.refusals).sort(([, a], [, b]) => b - a)
  const since = `Refusals are counted since ${refusalsSince}.`
  if (counts.length === 0) return [since]
  const rows = counts.map(([code, refusals]) => [code, grouped(refusals)])
  return [fittedTable([{ heading: 'refused with' }, { heading: 'requests', align: 'right' }], rows), since]
}
