import type { AwardHistoryItem } from '../../sdk/src/index.ts'
import { oneOf, readArguments, required, wholeNumber } from './arguments.ts'
import type { Command } from './command.ts'
import { csvLine } from './csv/csv-line.ts'
import { NoAnswer } from './no-answer.ts'
import { progressBar } from './progress.ts'
import { connect, connectionOptions } from './settings.ts'
import { openSink } from './sink.ts'
import { isStyled, writeTable } from './table.ts'
import { isWithin, readTimeRange, type TimeRange } from './time-range.ts'

const kinds = {
  ...connectionOptions,
  tenant: 'text',
  limit: 'text',
  from: 'text',
  to: 'text',
  format: 'text',
  json: 'flag',
  output: 'text',
} as const

type Writing = { write: (text: string) => Promise<void>; isBold: boolean }
type Write = (items: AsyncIterable<AwardHistoryItem>, tenantId: string, writing: Writing) => Promise<void>

export const awards: Command = {
  kinds,
  usage: `partner-credit-cli awards --tenant <tenant> [options]

Lists your awards in a tenant, newest first.

  --tenant <tenant>         one of your tenants
  --limit <number>          only so many; all of them unless you say so
  --from <time>             only from this Vietnam day (2025-11-15) or time (2025-11-15T08:00:00Z) on
  --to <time>               only to the end of this day, or before this time
  --format <format>         table, csv or json
  --json                    the same as --format json
  --output <file>           write there instead of to standard output`,

  async run(args, surroundings) {
    const { options, positionals } = readArguments(args, kinds)
    if (positionals.length > 0) throw new NoAnswer('awards takes options only')
    const { stdout, stderr, environment } = surroundings
    const tenantId = required(options.tenant, '--tenant')
    const limit =
      options.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber(options.limit, '--limit')
    const range = readTimeRange(options)
    const format = options.json
      ? 'json'
      : oneOf(options.format ?? 'table', ['table', 'csv', 'json'], '--format')
    const credit = connect(surroundings, options)
    const sink = openSink(options.output, stdout)
    // On a terminal the awards themselves show that it goes on.
    const bar = options.output === undefined && stdout.isTTY ? null : progressBar(stderr, 'awards')
    const show = (n: number) => bar?.show(null, `${n.toLocaleString('en-US')} written`)
    try {
      const pageSize = Math.min(100, limit)
      const items = chosen(credit.awards({ tenantId, pageSize }), { range, limit, show })
      const isBold = options.output === undefined && isStyled(stdout, environment)
      await writeAs[format](items, tenantId, { write: sink.write, isBold })
      sink.done()
      return 0
    } finally {
      bar?.end()
      sink.giveUp()
    }
  },
}

async function* chosen(
  items: AsyncIterable<AwardHistoryItem>,
  { range, limit, show }: { range: TimeRange; limit: number; show: (n: number) => void },
) {
  let count = 0
  for await (const item of items) {
    const time = Date.parse(item.awardedAt)
    if (range.from !== null && time < range.from) return
    if (!isWithin(time, range)) continue
    yield item
    show(++count)
    if (count === limit) return
  }
}

const columns = ['orderId', 'userEmail', 'points', 'note', 'awardedAt', 'epTransactionId'] as const

const writeAs: Record<'table' | 'csv' | 'json', Write> = {
  async table(items, _, writing) {
    const rows = async function* () {
      for await (const { awardedAt, orderId, userEmail, points, note } of items) {
        yield [awardedAt, orderId ?? '', userEmail, String(points), note ?? '']
      }
    }
    await writeTable(['awarded at', 'order', 'e-mail', 'EP', 'note'], rows(), writing)
  },
  async csv(items, _, { write }) {
    await write(csvLine(columns))
    for await (const item of items) await write(csvLine(columns.map((column) => item[column])))
  },
  async json(items, tenantId, { write }) {
    await write(`{\n  "tenantId": ${JSON.stringify(tenantId)},\n  "items": [`)
    let separator = '\n'
    for await (const item of items) {
      await write(`${separator}    ${JSON.stringify(item)}`)
      separator = ',\n'
    }
    await write(separator === '\n' ? ']\n}\n' : '\n  ]\n}\n')
  },
}
