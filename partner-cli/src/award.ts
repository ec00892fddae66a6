import { Option, type Command } from 'commander'
import { type Award, PartnerCreditError } from '../../sdk/src/index.ts'
import { valueOption, wholeNumber } from './arguments.ts'
import { type CommandLine, serviceCommand } from './command-line.ts'
import { NoAnswer } from './no-answer.ts'
import { connect, type TenantOptions, tenantOption } from './settings.ts'
import { visible } from './table.ts'

type AwardOptions = TenantOptions & {
  order: string
  email: string
  amount: number
  note?: string
  meta?: Record<string, unknown>
  json?: boolean
}

export function awardCommand(program: Command, line: CommandLine): void {
  const { args, stdout } = line
  serviceCommand(program, line, {
    name: 'award',
    usage: '[--tenant <tenant>] --order <orderId> --email <userEmail> --amount <amount> [options]',
    description: 'credit an order; the same command again credits nothing and prints the first award',
    options: [
      tenantOption(args, 'one of your tenants'),
      valueOption(args, '--order <orderId>', 'credited once, forever').makeOptionMandatory(),
      valueOption(args, '--email <userEmail>', 'whose EP it is').makeOptionMandatory(),
      valueOption(
        args,
        '--amount <amount>',
        'raw units, a whole number: 1000 are 1 EP',
        wholeNumber,
      ).makeOptionMandatory(),
      valueOption(args, '--note <text>', "shown in the user's history"),
      valueOption(args, '--meta <json>', 'your own data, a JSON object', metaOf),
      new Option('--json', 'print one JSON document'),
    ],
  }).action(async (options: AwardOptions) => {
    const { order: orderId, email, amount, note, meta } = options
    const { credit, tenantId } = connect(line, options)
    const order = { tenantId, orderId, userEmail: email, amount, note, meta }
    try {
      const credited = await credit.award(order)
      stdout.write(options.json ? `${JSON.stringify(credited, null, 2)}\n` : inWords(credited, order))
      line.finish(0)
    } catch (error) {
      if (options.json && error instanceof PartnerCreditError) {
        stdout.write(`${JSON.stringify({ error }, null, 2)}\n`)
      }
      throw error
    }
  })
}

function metaOf(text: string): Record<string, unknown> {
  try {
    const meta: unknown = JSON.parse(text)
    if (typeof meta === 'object' && meta !== null && !Array.isArray(meta))
      return meta as Record<string, unknown>
  } catch {
    // Said below, without the text: it is the partner's own data.
  }
  throw new NoAnswer('--meta must be a JSON object, such as \'{"shop":7}\'')
}

function inWords(credited: Award, { tenantId, userEmail }: { tenantId: string; userEmail: string }): string {
  const { points, orderId, epTransactionId, duplicate, partnerDayRemaining, dayResetsAt, sandbox } = credited
  const id = `transaction ${visible(epTransactionId)}${sandbox ? '; sandbox: it does not count' : ''}`
  if (duplicate)
    return `${points} EP had been credited for order ${visible(orderId)} before, nothing was added (${id})\n`
  const remaining =
    partnerDayRemaining === null
      ? ''
      : `${partnerDayRemaining.toLocaleString('en-US')} EP left for ${visible(tenantId)} until ${visible(dayResetsAt ?? '')}\n`
  return `${points} EP credited to ${visible(userEmail)} for order ${visible(orderId)} (${id})\n${remaining}`
}
