import type { Command } from 'commander'
import type { AwardHistoryItem } from '../../sdk/src/index.ts'
import {
  formatOf,
  type Format,
  type ListOptions,
  listOptions,
  valueOption,
  wholeNumber,
} from './arguments.ts'
import { type CommandLine, serviceCommand } from './command-line.ts'
import { csvLine } from './csv/csv-line.ts'
import { progressBar } from './progress.ts'
import { connect, type TenantOptions, tenantOption } from './settings.ts'
import { openSink } from './sink.ts'
import { isStyled, writeTable } from './table.ts'
import { isWithin, readTimeRange, type TimeRange } from './time-range.ts'

type AwardsOptions = TenantOptions & ListOptions & { limit?: number; from?: string; to?: string }

type Writing = { write: (text: string) => Promise<void>; isBold: boolean }
type Write = (items: AsyncIterable<AwardHistoryItem>, tenantId: string, writing: Writing) => Promise<void>

export function awardsCommand(program: Command, line: CommandLine): void {
  const { args } = line
  serviceCommand(program, line, {
    name: 'awards',
    usage: '[--tenant <tenant>] [options]',
    description: 'list your awards in a tenant, newest first',
    options: [
      tenantOption(args, 'one of your tenants'),
      valueOption(args, '--limit <number>', 'only so many; all of them unless you say so', wholeNumber),
      valueOption(
        args,
        '--from <time>',
        'only from this Vietnam day (2025-11-15) or time (2025-11-15T08:00:00Z) on',
      ),
      valueOption(args, '--to <time>', 'only to the end of this day, or before this time'),
      ...listOptions(args),
    ],
  }).action(async (options: AwardsOptions) => {
    await list(options, line)
    line.finish(0)
  })
}

async function list(options: AwardsOptions, line: CommandLine): Promise<void> {
  const { stdout, stderr, environment } = line
  const { limit = Number.POSITIVE_INFINITY } = options
  const range = readTimeRange(options)
  const { credit, tenantId } = connect(line, options)
  const sink = openSink(options.output, stdout, [options.settings])
  // On a terminal the awards themselves show that it goes on.
  const bar = options.output === undefined && stdout.isTTY ? null : progressBar(stderr, 'awards')
  const show = (n: number) => bar?.show(null, `${n.toLocaleString('en-US')} written`)
  try {
    const items = chosen(credit.awards({ tenantId, pageSize: Math.min(100, limit) }), {
      range,
      limit,
      show,
    })
    const isBold = options.output === undefined && isStyled(stdout, environment)
    await writeAs[formatOf(options)](items, tenantId, { write: sink.write, isBold })
    sink.done()
  } finally {
    bar?.end()
    sink.giveUp()
  }
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

const writeAs: Record<Format, Write> = {
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
