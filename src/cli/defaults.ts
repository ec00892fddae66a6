import type { Command } from 'commander'
import { shownDefaultCaps } from '../answers/shown-settings.ts'
import type { DefaultCaps } from '../partners/partner-store.ts'
import { setDefaultCaps } from '../partners/set-default-caps.ts'
import { wholeEpArgument } from './arguments.ts'
import {
  type ChangeOptions,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
  withQueries,
} from './open.ts'
import { print, table, timeOr } from './output.ts'

type CapOptions = { perTx?: number; perPartnerDay?: number; perUserDay?: number }

export function defaultsCommands(program: Command): void {
  const defaults = program
    .command('defaults')
    .description('show and set the caps that apply where no partner or tenant has its own')

  withDatabaseOptions(defaults.command('show'))
    .description('show the default caps')
    .action(async (options: DatabaseOptions) => {
      printCaps(await withQueries(options, (queries) => queries.defaultCaps()), options)
    })

  withChangeOptions(defaults.command('caps'))
    .description('set default caps; they apply to all nodes')
    .option('--per-tx <ep>', 'EP per award', wholeEpArgument)
    .option('--per-partner-day <ep>', 'EP per partner, tenant and day', wholeEpArgument)
    .option('--per-user-day <ep>', 'EP per user, tenant and day, from all partners', wholeEpArgument)
    .action(async (options: ChangeOptions & CapOptions, command: Command) => {
      const { perTx, perPartnerDay, perUserDay } = options
      const given = Object.entries({ perTx, perPartnerDay, perUserDay }).filter(
        ([, cap]) => cap !== undefined,
      )
      if (given.length === 0)
        command.error('specify at least one of --per-tx, --per-partner-day and --per-user-day')
      const caps = Object.fromEntries(given)
      printCaps(await withDatabase(options, ({ operator }) => setDefaultCaps(operator, caps)), options)
    })
}

function printCaps(caps: DefaultCaps, options: DatabaseOptions): void {
  const { perTx, perPartnerDay, perUserDay, setAt } = caps
  print(shownDefaultCaps(caps), options, () =>
    table(
      ['perTx', 'perPartnerDay', 'perUserDay', 'set'],
      [[perTx, perPartnerDay, perUserDay, timeOr(setAt, 'never (built-in values)')]],
    ),
  )
}
