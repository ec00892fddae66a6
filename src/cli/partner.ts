import type { Command } from 'commander'
import { allowTenant, denyTenant } from '../partners/allow-tenant.ts'
import { createPartner } from '../partners/create-partner.ts'
import { existing } from '../partners/operator.ts'
import type { Key, Partner } from '../partners/partner-store.ts'
import { setPartnerCaps } from '../partners/set-partner-caps.ts'
import { setPartnerRate } from '../partners/set-partner-rate.ts'
import { resumePartner, suspendPartner } from '../partners/set-partner-status.ts'
import { capArgument, type NumberOrDefault, nullIfDefault, rateArgument, repeated } from './arguments.ts'
import { credentialsText } from './credentials-text.ts'
import { type DatabaseOptions, withDatabase, withDatabaseOptions } from './open.ts'
import { isoTime, print, table } from './output.ts'

type CapOptions = { perTx?: NumberOrDefault; perPartnerDay?: NumberOrDefault }

export function partnerCommands(program: Command): void {
  const partner = program.command('partner').description('make and change partners')

  withDatabaseOptions(partner.command('create'))
    .description('make a partner with a first key, whose secret is shown once')
    .requiredOption('--id <id>', "the partner's id")
    .requiredOption('--name <name>', "the partner's name")
    .requiredOption('--tenant <tenant>', 'a tenant it may use; repeat for more', repeated)
    .option('--per-tx <ep>', 'EP in one award', capArgument)
    .option('--per-partner-day <ep>', 'EP per tenant and day', capArgument)
    .action(
      async (options: DatabaseOptions & CapOptions & { id: string; name: string; tenant: string[] }) => {
        const { id, name, tenant, perTx = 'default', perPartnerDay = 'default' } = options
        const caps = { perTx: nullIfDefault(perTx), perPartnerDay: nullIfDefault(perPartnerDay) }
        const partner = { partnerId: id, name, tenants: tenant, ...caps }
        const created = await withDatabase(
          options,
          async ({ operator, masterKey }) => createPartner(operator, partner, await masterKey()),
          { create: true },
        )
        print(created, options, () => credentialsText(created))
      },
    )

  withDatabaseOptions(partner.command('list'))
    .description('all partners')
    .action(async (options: DatabaseOptions) => {
      const partners = await withDatabase(options, ({ operator }) => operator.store.partners())
      print(partners.map(shown), options, () => partnersTable(partners))
    })

  withDatabaseOptions(partner.command('show <id>'))
    .description('one partner with its tenants, caps and keys')
    .action(async (id: string, options: DatabaseOptions) => {
      const partner = await withDatabase(options, async ({ operator }) => {
        const partners = await operator.store.partners()
        return existing(
          id,
          partners.find(({ partnerId }) => partnerId === id),
        )
      })
      printPartner(partner, options)
    })

  withDatabaseOptions(partner.command('suspend <id>'))
    .description('refuse its new awards; history and replays still work')
    .action((id: string, options: DatabaseOptions) =>
      change(options, (operator) => suspendPartner(operator, id)),
    )

  withDatabaseOptions(partner.command('resume <id>'))
    .description('accept its awards again')
    .action((id: string, options: DatabaseOptions) =>
      change(options, (operator) => resumePartner(operator, id)),
    )

  withDatabaseOptions(partner.command('caps <id>'))
    .description('set its caps, everywhere or in one tenant; "default" falls back to the wider cap')
    .option('--tenant <tenant>', 'only in this tenant')
    .option('--per-tx <ep>', 'EP in one award', capArgument)
    .option('--per-partner-day <ep>', 'EP per tenant and day', capArgument)
    .action((id: string, options: DatabaseOptions & CapOptions & { tenant?: string }, command: Command) => {
      const { perTx, perPartnerDay, tenant } = options
      if (perTx === undefined && perPartnerDay === undefined) {
        command.error('give --per-tx, --per-partner-day or both')
      }
      const caps = { perTx: nullIfDefault(perTx), perPartnerDay: nullIfDefault(perPartnerDay) }
      return change(options, (operator) => setPartnerCaps(operator, id, caps, tenant))
    })

  withDatabaseOptions(partner.command('rate <id>'))
    .description('set how many requests a second it may send; "default" is no limit')
    .requiredOption('--per-second <n>', 'requests a second', rateArgument)
    .action((id: string, options: DatabaseOptions & { perSecond: NumberOrDefault }) =>
      change(options, (operator) => setPartnerRate(operator, id, nullIfDefault(options.perSecond))),
    )

  withDatabaseOptions(partner.command('allow <id>'))
    .description('let it use a tenant')
    .requiredOption('--tenant <tenant>', 'the tenant')
    .action((id: string, options: DatabaseOptions & { tenant: string }) =>
      change(options, (operator) => allowTenant(operator, id, options.tenant)),
    )

  withDatabaseOptions(partner.command('deny <id>'))
    .description('withdraw a tenant; what was awarded there stays')
    .requiredOption('--tenant <tenant>', 'the tenant')
    .action((id: string, options: DatabaseOptions & { tenant: string }) =>
      change(options, (operator) => denyTenant(operator, id, options.tenant)),
    )
}

async function change(
  options: DatabaseOptions,
  work: (operator: Parameters<typeof suspendPartner>[0]) => Promise<Partner>,
): Promise<void> {
  printPartner(await withDatabase(options, ({ operator }) => work(operator)), options)
}

function printPartner(partner: Partner, options: DatabaseOptions): void {
  print(shown(partner), options, () => partnerText(partner))
}

/** A partner without what only the service needs to know of its keys. */
function shown(partner: Partner) {
  return { ...partner, createdAt: isoTime(partner.createdAt), keys: partner.keys.map(shownKey) }
}

export function shownKey({ keyId, createdAt, expiresAt, revokedAt }: Key) {
  return {
    keyId,
    createdAt: isoTime(createdAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
  }
}

function partnersTable(partners: Partner[]): string {
  if (partners.length === 0) return 'no partners yet: partner create makes one'
  return table(
    ['partner', 'name', 'status', 'tenants', 'keys'],
    partners.map(({ partnerId, name, status, grants, keys }) => [
      partnerId,
      name,
      status,
      grants.map(({ tenantId }) => tenantId).join(' '),
      keys.filter(({ revokedAt }) => revokedAt === null).length,
    ]),
  )
}

function partnerText(partner: Partner): string {
  const { partnerId, name, status, requestsPerSecond, grants, keys } = partner
  const cap = (value: number | null) => value ?? 'default'
  const caps = [
    ['everywhere', cap(partner.perTx), cap(partner.perPartnerDay)],
    ...grants.map((grant) => [grant.tenantId, cap(grant.perTx), cap(grant.perPartnerDay)]),
  ]
  return [
    `${partnerId} (${name}) is ${status}; requests a second: ${requestsPerSecond ?? 'no limit'}`,
    table(['tenant', 'perTx', 'perPartnerDay'], caps),
    keysTable(keys),
  ].join('\n\n')
}

export function keysTable(keys: Key[]): string {
  return table(
    ['key', 'created', 'expires', 'revoked'],
    keys.map(({ keyId, createdAt, expiresAt, revokedAt }) => [
      keyId,
      isoTime(createdAt),
      isoTime(expiresAt, 'never'),
      isoTime(revokedAt),
    ]),
  )
}
