import type { Command } from 'commander'
import { type UserHistory, userHistory } from '../answers/user-history.ts'
import { systemClock } from '../clock.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { answerIsNo } from './exit-codes.ts'
import { fitLines, fittedTable, grouped, percent } from './fitted-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withQueries } from './open.ts'
import { bold, print } from './output.ts'
import { slowSearch } from './slow-search.ts'
import { limitArgument } from './time-arguments.ts'

type UserOptions = DatabaseOptions & { tenant: string; limit: number }

export function userCommand(program: Command): void {
  withDatabaseOptions(program.command('user <email>'))
    .description("show a user's EP history, newest first; exit code 3 if the user has no EP in the tenant")
    .requiredOption('--tenant <tenant>', 'the tenant')
    .option('--limit <n>', 'at most this many awards', limitArgument, 50)
    .action(async (userEmail: string, options: UserOptions) => {
      const { tenant: tenantId, limit } = options
      const slow = slowSearch()
      const question = { userEmail, tenantId, limit, now: systemClock.now() }
      const answer = await withQueries(options, (queries) => userHistory(queries, question, slow)).finally(
        slow.end,
      )
      print(answer, options, () => fitLines(userText(answer)))
      if (answer.awards.length === 0) process.exitCode = answerIsNo
    })
}

function userText(history: UserHistory): string {
  const { userEmail, tenantId, sandbox, total, today, awards, hasMore } = history
  const where = `${terminalSafe(tenantId)}${sandbox ? ' (sandbox: these EP do not count)' : ''}`
  if (awards.length === 0) return `${terminalSafe(userEmail)} has no EP in ${where}`
  const use = `${grouped(today.points)} of ${grouped(today.limit)} EP (${percent(today)})`
  return [
    bold(terminalSafe(`${userEmail}: ${grouped(total)} EP in ${where}`)),
    `today, ${today.day}: ${use} of perUserDay${today.from === 'default' ? ' (default)' : ''}`,
    '',
    fittedTable(
      [
        { heading: 'awarded' },
        { heading: 'EP', align: 'right' },
        { heading: 'partner', wraps: true },
        { heading: 'order', wraps: true },
        { heading: 'note', wraps: true },
      ],
      awards.map(({ awardedAt, points, partnerId, orderId, note }) => [
        awardedAt,
        grouped(points),
        partnerId,
        orderId,
        note ?? '',
      ]),
    ),
    ...(hasMore ? ['', 'There are older awards: --limit shows more'] : []),
  ].join('\n')
}
