import type { Command } from 'commander'
import {
  type AccountUsage,
  type DamagedUsage,
  type TenantUsage,
  type UsageAnswer,
  usage,
} from '../answers/usage.ts'
import { systemClock } from '../clock.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import { count } from '../terminal/safe-text.ts'
import { bar, type Column, fitLines, fittedTable, grouped, percent } from './fitted-table.ts'
import { tellProblems } from './damaged-rows.ts'
import { type DatabaseOptions, withDatabaseOptions, withQueries } from './open.ts'
import { bold, print } from './output.ts'
import { tenantText } from './tenant.ts'
import { dayArgument } from './time-arguments.ts'

type UsageOptions = DatabaseOptions & { partner?: string; tenant?: string; day?: number }

export function usageCommand(program: Command): void {
  withDatabaseOptions(program.command('usage'))
    .description('show how much of the daily caps is used, by partners and by the users nearest to theirs')
    .option('--partner <id>', 'only this partner')
    .option('--tenant <tenant>', 'only in this tenant')
    .option('--day <day>', 'a Vietnam day such as 2026-11-16, or yesterday (default: today)', dayArgument)
    .action(async (options: UsageOptions) => {
      const now = systemClock.now()
      const { partner: partnerId, tenant: tenantId, day = vietnamDay(now) } = options
      const answer = await withQueries(options, (queries) =>
        usage(queries, { partnerId, tenantId, day, now }),
      )
      print(answer, options, () => fitLines(usageText(answer)))
      tellProblems(answer.damaged.map(({ problem }) => problem))
    })
}

/** Rows for people; --json has them all. */
const accountsMax = 50
const barWidth = 16

function usageText(answer: UsageAnswer): string {
  const { day, endsAt, isOver, accounts, damaged, tenants } = answer
  const when = isOver ? 'it is over, and the caps are those of its last awards' : `it ends at ${endsAt}`
  const heading = `${bold(day)} (Vietnam day; ${when})`
  if (accounts.length + damaged.length === 0) return `${heading}: no awards`
  const hidden = accounts.length - accountsMax
  return [
    heading,
    fittedTable(accountColumns, [
      ...accounts.slice(0, accountsMax).map(accountRow),
      ...damaged.slice(0, accountsMax).map(damagedRow),
    ]),
    ...(hidden > 0 ? [`${count(hidden, 'more account')}, less full: --partner or --json shows them`] : []),
    ...tenants.map(tenantUsers),
  ].join('\n\n')
}

const useColumns: Column[] = [
  { heading: 'EP', align: 'right' },
  { heading: 'of', align: 'right' },
  { heading: '' },
  { heading: 'used', align: 'right' },
]
const accountColumns: Column[] = [
  { heading: 'partner', wraps: true },
  { heading: 'tenant', wraps: true },
  { heading: 'awards', align: 'right' },
  ...useColumns,
]

function accountRow(account: AccountUsage): string[] {
  const { partnerId, awards, points, perPartnerDay } = account
  return [partnerId, nameOf(account), grouped(awards), ...useCells(points, perPartnerDay.limit)]
}

function damagedRow(account: DamagedUsage): string[] {
  const { partnerId, awards, points } = account
  return [partnerId, nameOf(account), grouped(awards), grouped(points), '?', 'DAMAGED', '?']
}

function useCells(points: number, limit: number): string[] {
  const use = { points, limit }
  return [grouped(points), grouped(limit), bar(use, barWidth), percent(use)]
}

function tenantUsers(tenant: TenantUsage): string {
  const { perUserDay, users } = tenant
  const from = perUserDay.from === 'default' ? ' (default)' : ''
  return [
    `${bold(`Users in ${nameOf(tenant)}`)} nearest to perUserDay, ${grouped(perUserDay.limit)} EP${from}:`,
    fittedTable(
      [{ heading: 'user', wraps: true }, ...useColumns],
      users.map(({ userEmail, points }) => [userEmail, ...useCells(points, perUserDay.limit)]),
    ),
  ].join('\n')
}

function nameOf({ tenantId, sandbox }: { tenantId: string; sandbox: boolean }): string {
  return tenantText({ tenantId, mode: sandbox ? 'sandbox' : 'live' })
}
