import type { Command } from 'commander'
import type { CapOrigin } from '../answers/cap-origins.ts'
import type { CapThen, DayCapThen } from '../answers/credited-order.ts'
import { type Explanation, explain } from '../answers/explain.ts'
import { systemClock } from '../clock.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { amountArgument } from './arguments.ts'
import { answerIsNo } from './exit-codes.ts'
import { fitLines, fittedTable, grouped } from './fitted-table.ts'
import { notCreditedText } from './not-credited-text.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { bold, print } from './output.ts'
import { refusalText } from './refusal-text.ts'
import { dayReplaysText, orderReplaysText } from './replays-text.ts'

type ExplainOptions = DatabaseOptions & { partner: string; tenant?: string; user?: string; amount?: number }
type Credited = Extract<Explanation, { credited: true }>

export function explainCommand(program: Command): void {
  withDatabaseOptions(program.command('explain <order>'))
    .description(
      'explain why an order was credited with so many points; or, with exit code 3, why it was not and what would happen now',
    )
    .requiredOption('--partner <id>', 'its partner, which find <order> shows (required)')
    .option('--tenant <tenant>', 'of an order that was not credited: its tenant')
    .option('--user <email>', 'of an order that was not credited: its user')
    .option('--amount <amount>', 'of an order that was not credited: its raw amount', amountArgument)
    .action(async (orderId: string, options: ExplainOptions) => {
      const { partner: partnerId, tenant: tenantId, user: userEmail, amount } = options
      const supposed = { tenantId, userEmail, amount }
      const answer = await withJournal(options, (sources) =>
        explain(sources, { partnerId, orderId, supposed, now: systemClock.now() }),
      )
      print(answer, options, () => fitLines(answer.credited ? creditedText(answer) : notCreditedText(answer)))
      if (!answer.credited) process.exitCode = answerIsNo
      else if (!answer.chain.hashMatches || !answer.chain.isLinked) process.exitCode = 1
    })
}

function creditedText(order: Credited): string {
  const { partnerId, orderId, tenantId, sandbox, userEmail, note, awardedAt, day, epTransactionId } = order
  const { rawAmount, amountPerEp, points, remainder } = order.arithmetic
  const safe = terminalSafe
  return [
    bold(safe(`${partnerId}'s order ${orderId} was credited: ${grouped(points)} EP`)),
    `  to ${safe(userEmail)} in ${safe(tenantId)}${sandbox ? ' (sandbox: these EP do not count)' : ''}`,
    `  at ${awardedAt}, Vietnam day ${day}`,
    `  transaction ${safe(epTransactionId)}`,
    ...(note === null ? [] : [`  note: ${safe(note)}`]),
    '',
    `${bold('Arithmetic')}: ${grouped(rawAmount)} ÷ ${grouped(amountPerEp)} = ${grouped(points)} EP, remainder ${grouped(remainder)}`,
    '',
    capsTable(order),
    '',
    chainText(order),
    '',
    journalText(order),
  ].join('\n')
}

function capsTable({ caps: { perTx, perPartnerDay, perUserDay }, arithmetic }: Credited): string {
  const row = (name: string, { limit, origin }: CapThen, before: string, after: string) => {
    return [name, grouped(limit), before, after, originText(origin)]
  }
  const dayRow = (name: string, cap: DayCapThen) => row(name, cap, grouped(cap.before), grouped(cap.after))
  return fittedTable(
    [
      { heading: 'cap then' },
      { heading: 'EP', align: 'right' },
      { heading: 'before', align: 'right' },
      { heading: 'after', align: 'right' },
      { heading: 'set by', wraps: true },
    ],
    [
      row('perTx', perTx, '', grouped(arithmetic.points)),
      dayRow('perPartnerDay', perPartnerDay),
      dayRow('perUserDay', perUserDay),
    ],
  )
}

function originText(origin: CapOrigin): string {
  if (origin === null || origin.change === null) return 'not recorded'
  const { actor, at, action, reason, auditSeq } = origin.change
  return `${actor} at ${at}, ${action} (audit #${auditSeq})${reason === null ? '' : `: ${reason}`}`
}

function chainText({ partnerId, tenantId, chain }: Credited): string {
  const { seq, length, hash, hashMatches, isLinked } = chain
  const verdict = !hashMatches
    ? 'THE HASH DOES NOT MATCH: this entry or the one before it was changed. Run verify'
    : !isLinked
      ? 'The hash matches, but WHAT FOLLOWS IS NOT LINKED TO IT. Run verify'
      : 'The hash, calculated again from the entry and the one before it, matches.'
  return [
    `${bold('Chain')}: entry ${grouped(seq)} of ${grouped(length)} in ${terminalSafe(`${partnerId}/${tenantId}`)}`,
    `  ${hash}`,
    `  ${verdict}`,
  ].join('\n')
}

function journalText({ partnerId, tenantId, journal, replays, replaysOfDay }: Credited): string {
  const lines = [
    orderReplaysText(replays, partnerId),
    `Replays of all orders of ${terminalSafe(`${partnerId} in ${tenantId}`)} that day: ${dayReplaysText(replaysOfDay)}`,
  ]
  if (journal.problem !== null)
    lines.push(`Refusals of this order are not known: ${terminalSafe(journal.problem)}`)
  else if (journal.refusals.length > 0)
    lines.push('', 'The journal has refusals of this order:', ...journal.refusals.map(refusalText))
  return lines.join('\n')
}
