import { createReadStream, statSync } from 'node:fs'
import { type Arguments, oneOf, readArguments, required } from './arguments.ts'
import type { Command } from './command.ts'
import type { Delimiter } from './csv/csv-row.ts'
import { NoAnswer } from './no-answer.ts'
import { type Progress, progressBar } from './progress.ts'
import { type OrderFileOptions, readOrders } from './reconcile/read-orders.ts'
import { reconcileLists } from './reconcile/reconcile-lists.ts'
import { formats, summary, writeReport } from './reconcile/report.ts'
import { differences } from './reconcile/totals.ts'
import { connect, connectionOptions } from './settings.ts'
import { openSink } from './sink.ts'
import type { Surroundings } from './surroundings.ts'
import { isStyled } from './table.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { readTimeRange } from './time-range.ts'

const kinds = {
  ...connectionOptions,
  tenant: 'text',
  from: 'text',
  to: 'text',
  'order-column': 'text',
  'email-column': 'text',
  'amount-column': 'text',
  'points-column': 'text',
  'ignore-email': 'flag',
  delimiter: 'text',
  format: 'text',
  json: 'flag',
  output: 'text',
} as const

export const reconcile: Command = {
  kinds,
  usage: `partner-credit-cli reconcile <orders.csv> --tenant <tenant> [options]

Compares your list of orders with the awards of a tenant: what is missing, extra or different.

  <orders.csv>              your list, with a row of column names; - reads standard input
  --tenant <tenant>         the tenant whose history is read
  --from <time>             read the history back to this Vietnam day (2025-11-15) or time (2025-11-15T08:00:00Z) only:
                            an order credited before counts as missing
  --to <time>               an award after this day, or from this time on, is not extra
  --order-column <name>     the column of the order, where its name does not say it
  --email-column <name>     … of the e-mail
  --amount-column <name>    … of the raw amount (1000 are 1 EP)
  --points-column <name>    … of the EP
  --ignore-email            do not compare e-mails
  --delimiter <sign>        comma, semicolon or tab; otherwise the one that the first row has most of
  --format <format>         table, csv or json
  --json                    the same as --format json
  --output <file>           write there instead of to standard output`,

  async run(args, surroundings) {
    const { options, positionals } = readArguments(args, kinds)
    const { stdout, stderr, environment } = surroundings
    const [path, ...more] = positionals
    if (path === undefined || more.length > 0)
      throw new NoAnswer('give one list of orders, or - for standard input')
    const tenantId = required(options.tenant, '--tenant')
    const range = readTimeRange(options)
    const format = options.json ? 'json' : oneOf(options.format ?? 'table', formats, '--format')
    const fileOptions = orderFileOptions(options)
    const credit = connect(surroundings, options)
    const list = openList(path, surroundings.stdin)
    const sink = openSink(options.output, stdout)
    const folder = temporaryFolder()
    const bar = progressBar(stderr, 'reconcile')
    try {
      const reconciliation = await reconcileLists({
        orders: readOrders(list.chunks, fileOptions),
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
      return differences(totals) === 0 ? 0 : 1
    } finally {
      bar.end()
      sink.giveUp()
      folder.remove()
    }
  },
}

const delimiters: Record<string, Delimiter> = {
  comma: ',',
  ',': ',',
  semicolon: ';',
  ';': ';',
  tab: '\t',
  '\t': '\t',
}

function orderFileOptions(options: Arguments<typeof kinds>['options']): OrderFileOptions {
  const delimiter = options.delimiter === undefined ? undefined : delimiters[options.delimiter]
  if (options.delimiter !== undefined && delimiter === undefined) {
    throw new NoAnswer('--delimiter must be one of comma, semicolon, tab')
  }
  const given: OrderFileOptions['given'] = {}
  for (const role of ['order', 'email', 'amount', 'points'] as const) {
    const name = options[`${role}-column`]
    if (name !== undefined) given[role] = name
  }
  return { delimiter, given, isEmailIgnored: options['ignore-email'] ?? false }
}

type List = {
  chunks: AsyncIterable<Uint8Array>
  /** How much of it is read, from 0 to 1; null where its length is not known. */
  done(): number | null
}

function openList(path: string, stdin: Surroundings['stdin']): List {
  if (path === '-') return { chunks: stdin, done: () => null }
  try {
    const { size } = statSync(path)
    let bytesRead = 0
    const chunks = async function* () {
      for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
        bytesRead += chunk.length
        yield chunk
      }
    }
    return { chunks: chunks(), done: () => (size === 0 ? 1 : bytesRead / size) }
  } catch (error) {
    throw new NoAnswer(`the list cannot be read: ${(error as Error).message}`)
  }
}

type Step = { orders: number; awards: number; partsDone: number; parts: number }

/** How long the history is nobody knows before its end; as long as the list is a good guess. */
function showStep(bar: Progress, { orders, awards, partsDone, parts }: Step, listDone: number | null): void {
  const figure = (n: number) => n.toLocaleString('en-US')
  if (partsDone > 0) bar.show(partsDone / parts, 'comparing')
  else if (awards > 0) bar.show(Math.min(0.99, awards / orders), `${figure(awards)} awards read`)
  else bar.show(listDone, `${figure(orders)} rows read`)
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
