import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { ApiToken, LastUse } from '../operator/access/operator-store.ts'
import { isPermission, type Permission, permissionNames } from '../operator/access/permissions.ts'
import { createToken, revokeToken } from '../operator/access/tokens.ts'
import { isoTime } from '../rules/iso-time.ts'
import { lastOperatorUses, openStore } from '../stores/open.ts'
import { durationArgument } from './arguments.ts'
import {
  type ChangeOptions,
  configOf,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
} from './open.ts'
import { bold, print, table, timeOr } from './output.ts'

/** For scripts that use the operator API, and for Prometheus. */
export function tokenCommands(program: Command): void {
  const token = program.command('token').description('create and revoke API tokens, for scripts')

  withChangeOptions(token.command('create <name>'))
    .description('create a token; its secret is shown only once')
    .requiredOption(
      '--scope <permission>',
      `what it may do; may be repeated: ${permissionNames.join(', ')}`,
      scopeArgument,
    )
    .requiredOption('--expires <duration>', 'how long it is valid, such as 90d', durationArgument)
    .action(async (name: string, options: ChangeOptions & { scope: Permission[]; expires: number }) => {
      const issued = await withDatabase(options, ({ operator, operators }) =>
        createToken(
          { accounts: operators, by: operator },
          { name, scopes: options.scope, expiresAt: operator.now + options.expires, operatorId: null },
        ),
      )
      const { secret, tokenId, expiresAt } = issued
      print({ ...shown(issued), secret }, options, () =>
        [
          `Created ${tokenId}, valid until ${isoTime(expiresAt)}. ${bold('The token is shown only once: store it now.')}`,
          '',
          secret,
        ].join('\n'),
      )
    })

  withDatabaseOptions(token.command('list'))
    .description('list all tokens, and when they were last used')
    .action(async (options: DatabaseOptions) => {
      const { database } = configOf(options)
      const store = await openStore(database, { create: false })
      try {
        const tokens = await store.operators.tokens()
        const uses = await lastOperatorUses(database)
        print(
          tokens.map((one) => ({ ...shown(one), lastUse: lastUse(one, uses) })),
          options,
          () => tokensTable(tokens, uses),
        )
      } finally {
        await store.close()
      }
    })

  withChangeOptions(token.command('revoke <token>'))
    .description('revoke a token; it stops working at once')
    .action(async (tokenId: string, options: ChangeOptions) => {
      const revoked = await withDatabase(options, ({ operator, operators }) =>
        revokeToken({ accounts: operators, by: operator }, tokenId),
      )
      print(shown(revoked), options, () => tokensTable([revoked], []))
    })
}

function scopeArgument(text: string, before: Permission[] | undefined): Permission[] {
  if (!isPermission(text)) throw new InvalidArgumentError(`It must be one of ${permissionNames.join(', ')}.`)
  return [...(before ?? []), text]
}

function shown({ tokenHash: _, createdAt, expiresAt, revokedAt, ...token }: ApiToken) {
  return {
    ...token,
    createdAt: isoTime(createdAt, 'operator_tokens'),
    expiresAt: isoTime(expiresAt, 'operator_tokens'),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt, 'operator_tokens'),
  }
}

function lastUse({ tokenId }: ApiToken, uses: LastUse[]): string | null {
  const use = uses.find(({ subject }) => subject === `token ${tokenId}`)
  return use === undefined ? null : isoTime(use.at, 'operator_last_uses')
}

function tokensTable(tokens: ApiToken[], uses: LastUse[]): string {
  if (tokens.length === 0)
    return 'There are no tokens. Create one: token create NAME --scope metrics.read --expires 90d'
  return table(
    ['token', 'name', 'scopes', 'operator', 'expires', 'revoked', 'last use'],
    tokens.map((one) => [
      one.tokenId,
      one.name,
      one.scopes.join(' '),
      one.operatorId ?? '-',
      timeOr(one.expiresAt),
      timeOr(one.revokedAt),
      lastUse(one, uses) ?? '-',
    ]),
  )
}
