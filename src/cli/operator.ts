import { type Command, Option } from 'commander'
import type { LastUse, OperatorAccount } from '../operator/access/operator-store.ts'
import {
  createOperator,
  disableOperator,
  type OperatorChange,
  resetOperator,
  setRole,
} from '../operator/access/operators.ts'
import { createPasswords } from '../operator/access/passwords.ts'
import { type Role, roleNames } from '../operator/access/permissions.ts'
import { isoTime } from '../rules/iso-time.ts'
import { endOperatorSessions, lastOperatorUses, openStore } from '../stores/open.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { choosePassword, type PasswordOptions } from './new-password.ts'
import {
  type ChangeOptions,
  configOf,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
} from './open.ts'
import { bold, print, table, timeOr } from './output.ts'

type Options = ChangeOptions & PasswordOptions

/** Accounts of the console and the operator API. Whoever can run this needs no account: it is how the first one is made. */
export function operatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('create, disable and reset accounts of the console')

  withPasswordOptions(withChangeOptions(operator.command('create <name>')))
    .description('create an account, named by a short name or an e-mail address')
    .addOption(roleOption().makeOptionMandatory())
    .action(async (name: string, options: Options & { role: Role }) => {
      const chosen = await choosePassword(options)
      const made = await withAccounts(
        options,
        (change) => createOperator(change, { operatorId: name, role: options.role, ...chosen }),
        { create: true },
      )
      printWithPassword(made, chosen, options)
    })

  withDatabaseOptions(operator.command('list'))
    .description('list all accounts, and when they last signed in')
    .action(async (options: DatabaseOptions) => {
      const { database } = configOf(options)
      const store = await openStore(database, { create: false })
      try {
        const accounts = await store.operators.operators()
        const uses = await lastOperatorUses(database)
        print(
          accounts.map((account) => ({ ...shown(account), lastSignIn: lastSignIn(account, uses) })),
          options,
          () => operatorsTable(accounts, uses),
        )
      } finally {
        await store.close()
      }
    })

  withChangeOptions(operator.command('role <name>'))
    .description('give an account another role; it applies to its next request')
    .addOption(roleOption().makeOptionMandatory())
    .action(async (name: string, options: ChangeOptions & { role: Role }) => {
      const changed = await withAccounts(options, (change) => setRole(change, name, options.role))
      print(shown(changed), options, () => operatorsTable([changed], []))
    })

  withChangeOptions(operator.command('disable <name>'))
    .description('disable an account: its sessions and tokens end at once')
    .action(async (name: string, options: ChangeOptions) => {
      const changed = await withAccounts(options, (change) => disableOperator(change, name))
      await endSessions(changed, options)
      print(shown(changed), options, () => operatorsTable([changed], []))
    })

  withPasswordOptions(withChangeOptions(operator.command('reset <name>')))
    .description('set another password, end all sessions, and enable the account if it was disabled')
    .option('--forget-oidc', 'the next sign-in by OpenID Connect links the account again')
    .action(async (name: string, options: Options & { forgetOidc?: boolean }) => {
      const chosen = await choosePassword(options)
      const { forgetOidc = false } = options
      const changed = await withAccounts(options, (change) =>
        resetOperator(change, name, chosen.password, { forgetOidc }),
      )
      await endSessions(changed, options)
      printWithPassword(changed, chosen, options)
    })
}

function roleOption(): Option {
  return new Option('--role <role>', 'what it may do').choices(roleNames)
}

function withPasswordOptions(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from standard input')
    .option('--no-password', 'no password: this account signs in by OpenID Connect only')
}

function withAccounts<T>(
  options: ChangeOptions,
  work: (change: OperatorChange) => Promise<T>,
  how?: { create: boolean },
): Promise<T> {
  return withDatabase(
    options,
    ({ operator, operators }) => work({ accounts: operators, by: operator, passwords: createPasswords() }),
    how,
  )
}

/** Those that began by the clock of a machine that is ahead of this one would outlive the change. */
async function endSessions({ operatorId }: OperatorAccount, options: DatabaseOptions): Promise<void> {
  try {
    await endOperatorSessions(configOf(options).database, operatorId)
  } catch (error) {
    const name = terminalSafe(operatorId)
    console.error(
      `The account was changed, but its sessions could not be ended (${(error as Error).message}): run operator reset ${name} again`,
    )
  }
}

function printWithPassword(
  account: OperatorAccount,
  { password, isGenerated }: { password: string | null; isGenerated: boolean },
  options: Options,
): void {
  const secret = isGenerated ? { password } : {}
  print({ ...shown(account), ...secret }, options, () =>
    [
      `${terminalSafe(account.operatorId)} (${account.role}) can sign in now.`,
      ...(isGenerated ? [bold('The password is shown only once:'), '', `  ${password}`] : []),
      ...(password === null ? ['It has no password: only OpenID Connect signs it in.'] : []),
    ].join('\n'),
  )
}

function shown({ passwordHash, oidcSubject, createdAt, operatorId, role, status }: OperatorAccount) {
  const [hasPassword, hasOidc] = [passwordHash !== null, oidcSubject !== null]
  return { operatorId, role, status, hasPassword, hasOidc, createdAt: isoTime(createdAt, 'operators') }
}

function lastSignIn({ operatorId }: OperatorAccount, uses: LastUse[]): string | null {
  const use = uses.find(({ subject }) => subject === `operator ${operatorId}`)
  return use === undefined ? null : isoTime(use.at, 'operator_last_uses')
}

function operatorsTable(accounts: OperatorAccount[], uses: LastUse[]): string {
  if (accounts.length === 0) return 'Nobody has an account. Create one: operator create NAME --role admin'
  return table(
    ['name', 'role', 'status', 'signs in by', 'created', 'last sign-in'],
    accounts.map((account) => [
      account.operatorId,
      account.role,
      account.status,
      waysIn(account),
      timeOr(account.createdAt),
      lastSignIn(account, uses) ?? '-',
    ]),
  )
}

function waysIn({ passwordHash, oidcSubject }: OperatorAccount): string {
  const ways = [...(passwordHash === null ? [] : ['password']), ...(oidcSubject === null ? [] : ['OpenID'])]
  // Which servers have a provider is not known here: only they are started with it.
  return ways.length === 0 ? 'OpenID, not linked yet' : ways.join(', ')
}
