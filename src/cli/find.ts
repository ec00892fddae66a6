import { type Command, Option } from 'commander'
import { find, type FindAnswer, type FoundAward } from '../answers/find.ts'
import { type FindKind, findKinds, NotFindable } from '../answers/find-kinds.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { answerIsNo } from './exit-codes.ts'
import { fitLines, fittedTable, grouped } from './fitted-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { bold, print } from './output.ts'
import { refusalText } from './refusal-text.ts'
import { slowSearch } from './slow-search.ts'
import { tenantText } from './tenant.ts'

type FindOptions = DatabaseOptions & { partner?: string; tenant?: string; as?: FindKind }

export function findCommand(program: Command): void {
  withDatabaseOptions(program.command('find'))
    .description(
      'show what is known about an order, a user, a transaction or a refused request; exit code 3 if nothing is',
    )
    .argument('<text>', 'an orderId, an e-mail address, an epTransactionId or a requestId')
    .option('--partner <id>', 'only of this partner')
    .option('--tenant <tenant>', 'only in this tenant')
    .addOption(
      new Option('--as <kind>', 'what the text is (default: everything that it can be)').choices(findKinds),
    )
    .action(async (text: string, options: FindOptions, command: Command) => {
      const { partner: partnerId, tenant: tenantId, as } = options
      const slow = slowSearch()
      try {
        const answer = await withJournal(options, (sources) =>
          find(sources, { text, as, partnerId, tenantId }, slow),
        )
        slow.end()
        print(answer, options, () => fitLines(findText(answer)))
        if (answer.credited.length + answer.refused.length === 0) process.exitCode = answerIsNo
      } catch (error) {
        if (error instanceof NotFindable) command.error(error.message)
        throw error
      } finally {
        slow.end()
      }
    })
}

/** More awards are shown as a table. */
const inDetailMax = 3

function findText(answer: FindAnswer): string {
  const { credited, hasMoreCredited, refused, hasMoreRefused, notSearched } = answer
  const older = (what: string) => `There are older ${what}: --partner and --tenant narrow the search`
  const paragraphs = [
    ...(credited.length === 0 && refused.length === 0 ? [notFound(answer)] : []),
    ...(credited.length <= inDetailMax ? credited.map(awardText) : [awardsTable(credited)]),
    ...(hasMoreCredited ? [older('awards')] : []),
    ...refused.map(refusalText),
    ...(hasMoreRefused ? [older('refusals')] : []),
    ...notSearched.map((what) => terminalSafe(`Not searched: ${what}`)),
  ]
  return paragraphs.join('\n\n')
}

function notFound({ searchedAs, refusalsSince, notSearched }: FindAnswer): string {
  const kinds = searchedAs.map((kind) => kindNames[kind]).join(', ')
  // No address is ever written to the journal. What was not searched is said below.
  const hasRefusals =
    (searchedAs.includes('order') || searchedAs.includes('request')) && notSearched.length === 0
  const refusals =
    refusalsSince === null ? 'no refusals are on record' : `no refusal on record since ${refusalsSince}`
  return `not in the ledger${hasRefusals ? `; ${refusals}` : ''} (searched as ${kinds})`
}

const kindNames: Record<FindKind, string> = {
  order: 'orderId',
  email: 'address',
  id: 'epTransactionId',
  request: 'requestId',
}

function awardText(award: FoundAward): string {
  const { points, rawAmount, amountPerEp, remainder, note } = award
  return detail(`credited ${award.awardedAt}`, [
    ['partner', award.partnerId],
    ['tenant', tenantText(award)],
    ['order', award.orderId],
    ['user', award.userEmail],
    [
      'points',
      `${grouped(points)} EP: amount ${grouped(rawAmount)} at ${grouped(amountPerEp)} per EP, remainder ${grouped(remainder)}`,
    ],
    ['note', note ?? '-'],
    ['transaction', `${award.epTransactionId} (entry ${award.seq} of the account)`],
  ])
}

function awardsTable(credited: FoundAward[]): string {
  return fittedTable(
    [
      { heading: 'credited' },
      { heading: 'partner', wraps: true },
      { heading: 'tenant', wraps: true },
      { heading: 'order', wraps: true },
      { heading: 'EP', align: 'right' },
      { heading: 'amount', align: 'right' },
      { heading: 'note', wraps: true },
    ],
    credited.map((award) => [
      award.awardedAt,
      award.partnerId,
      tenantText(award),
      award.orderId,
      grouped(award.points),
      grouped(award.rawAmount),
      award.note ?? '-',
    ]),
  )
}

function detail(title: string, rows: [name: string, value: string][]): string {
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)} ${terminalSafe(value)}`)
  return [bold(title), ...lines].join('\n')
}
