import type { Command } from 'commander'
import type { DefaultCaps } from '../partners/partner-store.ts'
import { setDefaultCaps } from '../partners/set-default-caps.ts'
import { wholeEpArgument } from './arguments.ts'
import {
  type ChangeOptions,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
} from './open.ts'
import { isoTime, print, table } from './output.ts'

type CapOptions = { perTx?: number; perPartnerDay?: number; perUserDay?: number }

export function defaultsCommands(program: Command): void {
  const defaults = program
    .command('defaults')
    .description('the caps that hold where none is set for a partner or a tenant')

  withDatabaseOptions(defaults.command('show'))
    .description('the default caps')
    .action(async (options: DatabaseOptions) => {
      printCaps(await withDatabase(options, ({ operator }) => operator.store.defaultCaps()), options)
    })

  withChangeOptions(defaults.command('caps'))
    .description('set default caps, for all nodes at once')
    .option('--per-tx <ep>', 'EP in one award', wholeEpArgument)
    .option('--per-partner-day <ep>', 'EP of a partner per tenant and day', wholeEpArgument)
    .option('--per-user-day <ep>', 'EP of a user per tenant and day, from all partners', wholeEpArgument)
    .action(async (options: ChangeOptions & CapOptions, command: Command) => {
      const { perTx, perPartnerDay, perUserDay } = options
      const given = Object.entries({ perTx, perPartnerDay, perUserDay }).filter(
        ([, cap]) => cap !== undefined,
      )
      if (given.length === 0)
        command.error('give --per-tx, --per-partner-day, --per-user-day or several of them')
      const caps = Object.fromEntries(given)
      printCaps(await withDatabase(options, ({ operator }) => setDefaultCaps(operator, caps)), options)
    })
}

function printCaps(caps: DefaultCaps, options: DatabaseOptions): void {
  const { perTx, perPartnerDay, perUserDay, setAt } = caps
  print({ ...caps, setAt: setAt === null ? null : isoTime(setAt) }, options, () =>
    table(
      ['perTx', 'perPartnerDay', 'perUserDay', 'set'],
      [[perTx, perPartnerDay, perUserDay, isoTime(setAt, 'not yet: built in')]],
    ),
  )
}
