import { type Command, InvalidArgumentError } from 'commander'
import { type TriedCap, type TriedTenant, tryCaps } from '../answers/try-caps.ts'
import { systemClock } from '../clock.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { wholeEpArgument } from './arguments.ts'
import { answerIsNo } from './exit-codes.ts'
import { fitLines, fittedTable, grouped } from './fitted-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { bold, print } from './output.ts'
import { tenantText } from './tenant.ts'

type TryOptions = DatabaseOptions & {
  partner: string
  tenant?: string
  perPartnerDay?: number
  perTx?: number
  days: number
}

export function capsCommands(program: Command): void {
  const caps = program.command('caps').description('try out caps; nothing is changed')

  withDatabaseOptions(caps.command('try'))
    .description(
      'show what another cap would have refused and admitted in the past; exit code 3 if it would have refused anything',
    )
    .requiredOption('--partner <id>', 'the partner')
    .option('--per-partner-day <ep>', 'the cap to try: EP per tenant and day', wholeEpArgument)
    .option('--per-tx <ep>', 'or the cap to try: EP per award', wholeEpArgument)
    .option('--days <n>', 'the last days, today included: 1 to 366', daysArgument, 30)
    .option('--tenant <tenant>', 'only in this tenant')
    .action(async (options: TryOptions) => {
      const { partner: partnerId, tenant: tenantId, perPartnerDay, perTx, days } = options
      const answer = await withJournal(options, (sources) =>
        tryCaps(sources, { partnerId, tenantId, perPartnerDay, perTx, days, now: systemClock.now() }),
      )
      print(answer, options, () => fitLines(triedText(answer)))
      if (answer.refused.awards > 0) process.exitCode = answerIsNo
    })
}

function daysArgument(text: string): number {
  const days = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= 366)) throw new InvalidArgumentError('It must be 1 to 366.')
  return days
}

function triedText(answer: TriedCap): string {
  const { partnerId, perPartnerDay, perTx, from, to, tenants, refused, admittedAtLeast } = answer
  const cap = perTx === null ? `perPartnerDay ${grouped(perPartnerDay!)}` : `perTx ${grouped(perTx)}`
  const verdict =
    refused.awards === 0
      ? 'Nothing that was credited would have been refused.'
      : `${count(refused.awards, 'award')} with ${grouped(refused.points)} EP would have been refused.`
  return [
    `${bold(terminalSafe(`${partnerId} with ${cap}`))}, ${from} to ${to} (Vietnam days)`,
    `${verdict}\nAt least ${count(admittedAtLeast.orders, 'refused order')} with ${grouped(admittedAtLeast.points)} EP would have been admitted.`,
    ...tenants.map(tenantTable),
    recordText(answer),
  ].join('\n\n')
}

function tenantTable(tenant: TriedTenant): string {
  const { now } = tenant
  const days = tenant.days.filter(({ refusedAwards, admittedOrders }) => refusedAwards + admittedOrders > 0)
  const name = tenantText({ tenantId: tenant.tenantId, mode: tenant.sandbox ? 'sandbox' : 'live' })
  const heading = `${bold(terminalSafe(name))}, where it is ${grouped(now.limit)}${now.from === 'default' ? ' (default)' : ''} now:`
  if (days.length === 0) return `${heading} no day would have been different`
  return [
    heading,
    fittedTable(
      [
        { heading: 'day' },
        { heading: 'awards', align: 'right' },
        { heading: 'EP', align: 'right' },
        { heading: 'refused', align: 'right' },
        { heading: 'EP', align: 'right' },
        { heading: 'admitted', align: 'right' },
        { heading: 'EP', align: 'right' },
      ],
      days.map((day) => [
        day.day,
        grouped(day.awards),
        grouped(day.points),
        grouped(day.refusedAwards),
        grouped(day.refusedPoints),
        grouped(day.admittedOrders),
        grouped(day.admittedPoints),
      ]),
    ),
  ].join('\n')
}

/** Why it says "at least". */
function recordText({ refusalsSince, isCut }: TriedCap): string {
  if (refusalsSince === null) return 'No refusal is on record, so nothing is known of what was refused.'
  const cut = isCut ? ' There are more than were looked at.' : ''
  return `Refusals are on record since ${refusalsSince}, each order counts once, and perUserDay is not known.${cut}`
}
