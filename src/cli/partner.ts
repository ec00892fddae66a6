import { isoTime } from '../rules/iso-time.ts'
import type { Command } from 'commander'
import { allowTenant, denyTenant } from '../partners/allow-tenant.ts'
import { createPartner } from '../partners/create-partner.ts'
import { existing, type Operator } from '../partners/operator.ts'
import type { DefaultCaps, Key, Partner } from '../partners/partner-store.ts'
import { setPartnerCaps } from '../partners/set-partner-caps.ts'
import { setPartnerRate } from '../partners/set-partner-rate.ts'
import { resumePartner, suspendPartner } from '../partners/set-partner-status.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { capArgument, type NumberOrDefault, nullIfDefault, rateArgument, repeated } from './arguments.ts'
import { credentialsText } from './credentials-text.ts'
import { localUrl } from './local-url.ts'
import {
  type ChangeOptions,
  configOf,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
} from './open.ts'
import { capText, print, table, timeOr } from './output.ts'

type PartnerCaps = Pick<Partner, 'perTx' | 'perPartnerDay'>
type CapOptions = { perTx?: NumberOrDefault; perPartnerDay?: NumberOrDefault }

export function partnerCommands(program: Command): void {
  const partner = program.command('partner').description('create and change partners')

  withChangeOptions(partner.command('create'))
    .description('create a partner and its first key; the secret is shown only once')
    .requiredOption('--id <id>', "the partner's id")
    .requiredOption('--name <name>', "the partner's name")
    .requiredOption('--tenant <tenant>', 'a tenant it may use; repeat the option for more', repeated)
    .option('--per-tx <ep>', 'EP per award', capArgument)
    .option('--per-partner-day <ep>', 'EP per tenant and day', capArgument)
    .action(async (options: ChangeOptions & CapOptions & { id: string; name: string; tenant: string[] }) => {
      const { id, name, tenant, perTx = 'default', perPartnerDay = 'default' } = options
      const caps = { perTx: nullIfDefault(perTx), perPartnerDay: nullIfDefault(perPartnerDay) }
      const partner = { partnerId: id, name, tenants: tenant, ...caps }
      const created = await withDatabase(
        options,
        async ({ operator, masterKey }) => createPartner(operator, partner, await masterKey()),
        { create: true },
      )
      print(created, options, () => credentialsText(created, localUrl(configOf(options))))
    })

  withDatabaseOptions(partner.command('list'))
    .description('list all partners')
    .action(async (options: DatabaseOptions) => {
      const partners = await withDatabase(options, ({ operator }) => operator.store.partners())
      print(partners.map(shown), options, () => partnersTable(partners))
    })

  withDatabaseOptions(partner.command('show <id>'))
    .description('show a partner with its tenants, caps and keys')
    .action(async (id: string, options: DatabaseOptions) => {
      await change(options, async ({ store }) => {
        const partners = await store.partners()
        return existing(
          id,
          partners.find(({ partnerId }) => partnerId === id),
        )
      })
    })

  withChangeOptions(partner.command('suspend <id>'))
    .description('refuse its new awards; history and replays keep working')
    .action((id: string, options: ChangeOptions) =>
      change(options, (operator) => suspendPartner(operator, id)),
    )

  withChangeOptions(partner.command('resume <id>'))
    .description('accept its awards again')
    .action((id: string, options: ChangeOptions) =>
      change(options, (operator) => resumePartner(operator, id)),
    )

  withChangeOptions(partner.command('caps <id>'))
    .description(
      'set its caps, in all tenants or in one; "default" removes a cap, so that the wider one applies',
    )
    .option('--tenant <tenant>', 'only in this tenant')
    .option('--per-tx <ep>', 'EP per award', capArgument)
    .option('--per-partner-day <ep>', 'EP per tenant and day', capArgument)
    .action((id: string, options: ChangeOptions & CapOptions & { tenant?: string }, command: Command) => {
      const { perTx, perPartnerDay, tenant } = options
      if (perTx === undefined && perPartnerDay === undefined) {
        command.error('specify --per-tx, --per-partner-day or both')
      }
      const caps = { perTx: nullIfDefault(perTx), perPartnerDay: nullIfDefault(perPartnerDay) }
      return change(options, (operator) => setPartnerCaps(operator, id, caps, tenant))
    })

  withChangeOptions(partner.command('rate <id>'))
    .description('limit its requests per second; "default" removes the limit')
    .requiredOption('--per-second <n>', 'requests per second', rateArgument)
    .action((id: string, options: ChangeOptions & { perSecond: NumberOrDefault }) =>
      change(options, (operator) => setPartnerRate(operator, id, nullIfDefault(options.perSecond))),
    )

  withChangeOptions(partner.command('allow <id>'))
    .description('allow it to use a tenant')
    .requiredOption('--tenant <tenant>', 'the tenant')
    .action((id: string, options: ChangeOptions & { tenant: string }) =>
      change(options, (operator) => allowTenant(operator, id, options.tenant)),
    )

  withChangeOptions(partner.command('deny <id>'))
    .description('withdraw a tenant; its awards there stay in the ledger')
    .requiredOption('--tenant <tenant>', 'the tenant')
    .action((id: string, options: ChangeOptions & { tenant: string }) =>
      change(options, (operator) => denyTenant(operator, id, options.tenant)),
    )
}

/** Changes or reads a partner, then prints it. */
async function change(options: ChangeOptions, work: (operator: Operator) => Promise<Partner>): Promise<void> {
  const { partner, defaults } = await withDatabase(options, async ({ operator }) => ({
    partner: await work(operator),
    defaults: await operator.store.defaultCaps(),
  }))
  print(shown(partner), options, () => partnerText(partner, defaults))
}

/** A partner without the internal fields of its keys. */
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
  if (partners.length === 0) return 'no partners yet; create one with: partner create'
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

function partnerText(partner: Partner, defaults: DefaultCaps): string {
  const { partnerId, name, status, requestsPerSecond, grants, keys } = partner
  const rowOf = (place: string, caps: PartnerCaps, wider: PartnerCaps, from: string) => [
    place,
    capText(caps.perTx, wider.perTx ?? defaults.perTx, wider.perTx === null ? 'default' : from),
    capText(
      caps.perPartnerDay,
      wider.perPartnerDay ?? defaults.perPartnerDay,
      wider.perPartnerDay === null ? 'default' : from,
    ),
  ]
  const caps = [
    rowOf('everywhere', partner, defaults, 'default'),
    ...grants.map((grant) => rowOf(grant.tenantId, grant, partner, 'everywhere')),
  ]
  return [
    `${terminalSafe(partnerId)} (${terminalSafe(name)}) is ${terminalSafe(status)}; requests per second: ${requestsPerSecond ?? 'no limit'}`,
    table(['tenant', 'perTx', 'perPartnerDay'], caps),
    keysTable(keys),
  ].join('\n\n')
}

export function keysTable(keys: Key[]): string {
  return table(
    ['key', 'created', 'expires', 'revoked'],
    keys.map(({ keyId, createdAt, expiresAt, revokedAt }) => [
      keyId,
      timeOr(createdAt),
      timeOr(expiresAt, 'never'),
      timeOr(revokedAt),
    ]),
  )
}
