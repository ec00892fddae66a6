import { type Command, Option } from 'commander'
import { find, type FindAnswer, type FoundAward } from '../answers/find.ts'
import { type FindKind, findKinds, NotFindable } from '../answers/find-kinds.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { answerIsNo } from './exit-codes.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { bold, print, table } from './output.ts'
import { refusalText } from './refusal-text.ts'
import { slowSearch } from './slow-search.ts'

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
        print(answer, options, () => findText(answer))
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
  const paragraphs = [
    ...(credited.length === 0 && refused.length === 0 ? [notFound(answer)] : []),
    ...(credited.length <= inDetailMax ? credited.map(awardText) : [awardsTable(credited)]),
    ...(hasMoreCredited ? ['There are older awards: --partner and --tenant narrow the search'] : []),
    ...(credited.length > 0 && refused.length > 0 ? [count(refused.length, 'refusal')] : []),
    ...refused.map(refusalText),
    ...(hasMoreRefused ? ['There are older refusals: --partner and --tenant narrow the search'] : []),
    ...notSearched.map((what) => `Not searched: ${what}`),
  ]
  return paragraphs.join('\n\n')
}

function notFound({ searchedAs, refusalsSince }: FindAnswer): string {
  const kinds = searchedAs.map((kind) => kindNames[kind]).join(', ')
  // No address is ever written to the journal.
  const hasRefusals = searchedAs.includes('order') || searchedAs.includes('request')
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
  const rows = [
    ['partner', award.partnerId],
    ['tenant', award.mode === 'sandbox' ? `${award.tenantId} (sandbox)` : award.tenantId],
    ['order', award.orderId],
    ['user', award.userEmail],
    ['points', `${points} EP: amount ${rawAmount} at ${amountPerEp} per EP, remainder ${remainder}`],
    ['note', note ?? '-'],
    ['transaction', `${award.epTransactionId} (entry ${award.seq} of the account)`],
  ]
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(12)} ${terminalSafe(value!)}`)
  return [bold(`credited ${award.awardedAt}`), ...lines].join('\n')
}

function awardsTable(credited: FoundAward[]): string {
  return table(
    ['credited', 'partner', 'tenant', 'order', 'EP', 'amount', 'note'],
    credited.map(({ awardedAt, partnerId, tenantId, orderId, points, rawAmount, note }) => [
      awardedAt,
      partnerId,
      tenantId,
      shortened(orderId),
      points,
      rawAmount,
      shortened(note ?? '-'),
    ]),
  )
}

const cellMax = 24

function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= cellMax ? text : `${characters.slice(0, cellMax - 1).join('')}…`
}
