import type { Command } from 'commander'
import { lastUses } from '../answers/key-uses.ts'
import { namedPartner } from '../answers/named.ts'
import { shownKey } from '../answers/shown-settings.ts'
import { systemClock } from '../clock.ts'
import { createKey, rotateKey } from '../partners/create-key.ts'
import { revokeKey } from '../partners/revoke-key.ts'
import { durationArgument } from './arguments.ts'
import { credentialsText } from './credentials-text.ts'
import { keysTable, keyUsesTable } from './keys-table.ts'
import { localUrl } from './local-url.ts'
import {
  type ChangeOptions,
  configOf,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
  withJournal,
} from './open.ts'
import { print } from './output.ts'

export function keyCommands(program: Command): void {
  const key = program.command('key').description("issue, rotate and revoke a partner's keys")

  withChangeOptions(key.command('create <partner>'))
    .description('create another key; its secret is shown only once')
    .action(async (partnerId: string, options: ChangeOptions) => {
      const issued = await withDatabase(options, async ({ operator, masterKey }) =>
        createKey(operator, partnerId, await masterKey()),
      )
      print(issued, options, () => credentialsText(issued, localUrl(configOf(options))))
    })

  withDatabaseOptions(key.command('list <partner>'))
    .description("list a partner's keys, and when they were last used")
    .action(async (partnerId: string, options: DatabaseOptions) => {
      const { keys, lastUse } = await withJournal(options, async ({ queries, journal }) => ({
        ...(await namedPartner(queries, partnerId)),
        lastUse: await lastUses(journal, partnerId, systemClock.now()),
      }))
      const list = keys.map((key) => ({ ...shownKey(key), ...lastUse(key.keyId) }))
      print(list, options, () => `${keysTable(keys)}\n\n${keyUsesTable(keys, lastUse)}`)
    })

  withChangeOptions(key.command('revoke <key>'))
    .description('revoke a key; it stops working within a second')
    .action(async (keyId: string, options: ChangeOptions) => {
      const { partnerId, key } = await withDatabase(options, ({ operator }) => revokeKey(operator, keyId))
      print({ partnerId, ...shownKey(key) }, options, () => keysTable([key]))
    })

  withChangeOptions(key.command('rotate <partner>'))
    .description('create a new key; existing keys expire after the overlap')
    .requiredOption(
      '--overlap <duration>',
      'how long the old keys keep working, such as 24h; 0 revokes them',
      durationArgument,
    )
    .action(async (partnerId: string, options: ChangeOptions & { overlap: number }) => {
      const issued = await withDatabase(options, async ({ operator, masterKey }) =>
        rotateKey(operator, partnerId, options.overlap, await masterKey()),
      )
      print(issued, options, () => credentialsText(issued, localUrl(configOf(options))))
    })
}
