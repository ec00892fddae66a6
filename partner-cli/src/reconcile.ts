import { type Command, Option } from 'commander'
import type { PartnerCredit } from '../../sdk/src/index.ts'
import { formatOf, type ListOptions, listOptions, valueOption } from './arguments.ts'
import { type CommandLine, serviceCommand } from './command-line.ts'
import type { Delimiter } from './csv/csv-row.ts'
import { NoAnswer } from './no-answer.ts'
import { type Progress, progressBar } from './progress.ts'
import type { ColumnRole } from './reconcile/columns.ts'
import { openList } from './reconcile/open-list.ts'
import { type OrderFileOptions, readOrders } from './reconcile/read-orders.ts'
import { type Reconciliation, reconcileLists } from './reconcile/reconcile-lists.ts'
import { resend } from './reconcile/resend.ts'
import { summary, writeReport } from './reconcile/report.ts'
import { differences } from './reconcile/totals.ts'
import type { DecimalMark } from './reconcile/whole-number.ts'
import { connect, type TenantOptions, tenantOption } from './settings.ts'
import { openSink } from './sink.ts'
import { isStyled } from './table.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { readTimeRange } from './time-range.ts'

type ReconcileOptions = TenantOptions &
  ListOptions & {
    from?: string
    to?: string
    orderColumn?: string
    emailColumn?: string
    amountColumn?: string
    pointsColumn?: string
    ignoreEmail?: boolean
    delimiter?: Delimiter
    decimalMark?: DecimalMark
    resend?: boolean
    yes?: boolean
  }

export function reconcileCommand(program: Command, line: CommandLine): void {
  const { args } = line
  serviceCommand(program, line, {
    name: 'reconcile',
    usage: '<orders.csv> [--tenant <tenant>] [options]',
    description:
      'compare your list of orders with the awards of a tenant: what is missing, extra or different',
    options: [
      tenantOption(args, 'the tenant whose history is read'),
      valueOption(
        args,
        '--from <time>',
        'read the history back to this Vietnam day (2025-11-15) or time (2025-11-15T08:00:00Z) only: an order credited before counts as missing',
      ),
      valueOption(args, '--to <time>', 'an award after this day, or from this time on, is not extra'),
      valueOption(args, '--order-column <name>', 'the column of the order, where its name does not say it'),
      valueOption(args, '--email-column <name>', '… of the e-mail'),
      valueOption(args, '--amount-column <name>', '… of the raw amount (1000 are 1 EP)'),
      valueOption(args, '--points-column <name>', '… of the EP'),
      new Option('--ignore-email', 'do not compare e-mails'),
      valueOption(
        args,
        '--delimiter <sign>',
        'comma, semicolon or tab; otherwise the one that the first row has most of',
        delimiterOf,
      ),
      valueOption(
        args,
        '--decimal-mark <sign>',
        'point or comma: whether 1.000 and 1,000 are a thousand or one',
        decimalMarkOf,
      ),
      new Option(
        '--resend',
        'send what is missing, after showing it and asking; nothing while an order is in doubt',
      ),
      new Option('--yes', 'of --resend: send without asking'),
      ...listOptions(args),
    ],
  })
    .argument('<orders.csv>', 'your list, with a row of column names; - reads standard input')
    .action(async (path: string, options: ReconcileOptions) => {
      line.finish(await reconcile(path, options, line))
    })
}

async function reconcile(path: string, options: ReconcileOptions, line: CommandLine): Promise<0 | 1> {
  const { stdin, stdout, stderr, environment } = line
  const format = formatOf(options)
  const range = readTimeRange(options)
  const { credit, tenantId } = connect(line, options)
  checkResend(path, options, line)
  const list = openList(path, stdin)
  const sink = openSink(options.output, stdout, [list.path ?? 0, options.settings])
  const folder = temporaryFolder()
  const bar = progressBar(stderr, 'reconcile')
  try {
    const reconciliation = await reconcileLists({
      orders: readOrders(list.chunks, orderFileOptions(options)),
      awards: credit.awards({ tenantId }),
      range,
      folder: folder.path,
      onProgress: (step) => showStep(bar, step, list.done()),
    })
    bar.end()
    const { totals } = reconciliation
    const about = { tenantId, from: isoOf(range.from), to: isoOf(range.to) }
    const isBold = options.output === undefined && isStyled(stdout, environment)
    await writeReport[format](reconciliation, about, { write: sink.write, isBold })
    sink.done()
    if (format === 'csv' || options.output !== undefined) stderr.write(summary(totals))
    const sent = options.resend ? await send(reconciliation, { credit, tenantId }, options, line) : 0
    return differences(totals) === sent ? 0 : 1
  } finally {
    bar.end()
    sink.giveUp()
    folder.remove()
  }
}

/** Checked before an hour of reading. */
function checkResend(path: string, options: ReconcileOptions, { ask }: CommandLine): void {
  if (!options.resend) {
    if (options.yes) throw new NoAnswer('--yes belongs to --resend')
    return
  }
  if (options.from !== undefined) {
    throw new NoAnswer(
      '--resend compares with the whole history: an order that was credited before --from in another spelling would be credited twice. Leave --from out',
    )
  }
  if (options.ignoreEmail) throw new NoAnswer('--resend sends the e-mails: leave --ignore-email out')
  if (!options.yes && (ask === null || path === '-')) {
    throw new NoAnswer('--resend asks before it sends, and there is nobody to ask: say --yes')
  }
}

async function send(
  reconciliation: Reconciliation,
  { credit, tenantId }: { credit: PartnerCredit; tenantId: string },
  options: ReconcileOptions,
  line: CommandLine,
): Promise<number> {
  if (!reconciliation.isEverySpellingKnown) {
    throw new NoAnswer('the list has too many shortened numbers to be sure what is missing: nothing was sent')
  }
  return resend({
    reconciliation,
    tenantId,
    credit,
    stderr: line.stderr,
    isConfirmed: async () =>
      options.yes === true || /^\s*y(es)?\s*$/i.test(await line.ask!('\nSend them? [y/N] ')),
  })
}

const delimiters: Record<string, Delimiter> = {
  comma: ',',
  ',': ',',
  semicolon: ';',
  ';': ';',
  tab: '\t',
  '\t': '\t',
}

function delimiterOf(text: string, name: string): Delimiter {
  const delimiter = Object.hasOwn(delimiters, text) ? delimiters[text] : undefined
  if (delimiter === undefined) throw new NoAnswer(`${name} must be one of comma, semicolon, tab`)
  return delimiter
}

const decimalMarks: Record<string, DecimalMark> = { point: '.', '.': '.', comma: ',', ',': ',' }

function decimalMarkOf(text: string, name: string): DecimalMark {
  const mark = Object.hasOwn(decimalMarks, text) ? decimalMarks[text] : undefined
  if (mark === undefined) throw new NoAnswer(`${name} must be one of point, comma`)
  return mark
}

function orderFileOptions(options: ReconcileOptions): OrderFileOptions {
  const { delimiter, ignoreEmail = false, decimalMark = null } = options
  const columns: [ColumnRole, string | undefined][] = [
    ['order', options.orderColumn],
    ['email', options.emailColumn],
    ['amount', options.amountColumn],
    ['points', options.pointsColumn],
  ]
  const given = Object.fromEntries(columns.filter(([, name]) => name !== undefined))
  return {
    delimiter,
    given,
    isEmailIgnored: ignoreEmail,
    decimalMark,
    isAmountNeeded: options.resend ?? false,
  }
}

type Step = { orders: number; awards: number; partsDone: number; parts: number }

/** The length of the history is not known before its end. The length of the list is a good guess. */
function showStep(bar: Progress, { orders, awards, partsDone, parts }: Step, listDone: number | null): void {
  const figure = (n: number) => n.toLocaleString('en-US')
  if (partsDone > 0) bar.show(partsDone / parts, 'comparing')
  else if (awards > 0) bar.show(Math.min(0.99, awards / orders), `${figure(awards)} awards read`)
  else bar.show(listDone, `${figure(orders)} rows read`)
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
