import { type Award, PartnerCreditError } from '../../sdk/src/index.ts'
import { readArguments, required, wholeNumber } from './arguments.ts'
import type { Command } from './command.ts'
import { NoAnswer } from './no-answer.ts'
import { connect, connectionOptions } from './settings.ts'
import { visible } from './table.ts'

const kinds = {
  ...connectionOptions,
  tenant: 'text',
  order: 'text',
  email: 'text',
  amount: 'text',
  note: 'text',
  meta: 'text',
  json: 'flag',
} as const

export const award: Command = {
  kinds,
  usage: `partner-credit-cli award --tenant <tenant> --order <orderId> --email <userEmail> --amount <amount> [options]

Credits an order. The same command again credits nothing and prints the first award.

  --tenant <tenant>         one of your tenants
  --order <orderId>         credited once, for ever
  --email <userEmail>       whose EP it is
  --amount <amount>         raw units, a whole number: 1000 are 1 EP
  --note <text>             shown in the user's history
  --meta <json>             your own data, a JSON object
  --json                    print one JSON document`,

  async run(args, surroundings) {
    const { options, positionals } = readArguments(args, kinds)
    if (positionals.length > 0) throw new NoAnswer('award takes options only')
    const order = {
      tenantId: required(options.tenant, '--tenant'),
      orderId: required(options.order, '--order'),
      userEmail: required(options.email, '--email'),
      amount: wholeNumber(required(options.amount, '--amount'), '--amount'),
      note: options.note,
      meta: options.meta === undefined ? undefined : metaOf(options.meta),
    }
    const { stdout } = surroundings
    try {
      const credited = await connect(surroundings, options).award(order)
      stdout.write(
        options.json ? `${JSON.stringify(credited, null, 2)}\n` : inWords(credited, order.tenantId),
      )
      return 0
    } catch (error) {
      if (options.json && error instanceof PartnerCreditError) {
        stdout.write(`${JSON.stringify({ error }, null, 2)}\n`)
      }
      throw error
    }
  },
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

function inWords(credited: Award, tenantId: string): string {
  const { points, orderId, epTransactionId, duplicate, partnerDayRemaining, dayResetsAt } = credited
  const id = `transaction ${epTransactionId}`
  if (duplicate)
    return `${points} EP had been credited to ${visible(orderId)} before, nothing was added (${id})\n`
  const remaining =
    partnerDayRemaining === null
      ? ''
      : `${partnerDayRemaining.toLocaleString('en-US')} EP left for ${tenantId} until ${dayResetsAt}\n`
  return `${points} EP credited to ${visible(orderId)} (${id})\n${remaining}`
}
