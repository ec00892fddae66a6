import type { Command } from 'commander'
import type { KnownPartner, Listed, ShownPartner } from '../answers/ledger-queries.ts'
import {
  grantsInMode,
  modesOf,
  readModes,
  shownPartner,
  type TenantModes,
} from '../answers/shown-settings.ts'
import { allowTenant, denyTenant } from '../partners/allow-tenant.ts'
import { createPartner } from '../partners/create-partner.ts'
import type { Operator } from '../partners/operator.ts'
import type { DefaultCaps, Partner } from '../partners/partner-store.ts'
import { setPartnerCaps } from '../partners/set-partner-caps.ts'
import { setPartnerRate } from '../partners/set-partner-rate.ts'
import { resumePartner, suspendPartner } from '../partners/set-partner-status.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { capArgument, type NumberOrDefault, nullIfDefault, rateArgument, repeated } from './arguments.ts'
import { credentialsText } from './credentials-text.ts'
import { shownDamaged, tellDamaged } from './damaged-rows.ts'
import { keysTable } from './keys-table.ts'
import { localUrl } from './local-url.ts'
import {
  type ChangeOptions,
  configOf,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
  withQueries,
} from './open.ts'
import { capText, print, table } from './output.ts'
import { partnerShowCommand } from './partner-show.ts'
import { tenantText } from './tenant.ts'

type PartnerCaps = Pick<Partner, 'perTx' | 'perPartnerDay'>
type CapOptions = { perTx?: NumberOrDefault; perPartnerDay?: NumberOrDefault }
type TenantOptions = { tenant?: string; sandboxTenant?: string }
type CreateOptions = CapOptions & { id: string; name: string; tenant?: string[]; sandboxTenant?: string[] }

export function partnerCommands(program: Command): void {
  const partner = program.command('partner').description('create and change partners')

  withChangeOptions(partner.command('create'))
    .description('create a partner and its first key; the secret is shown only once')
    .requiredOption('--id <id>', "the partner's id")
    .requiredOption('--name <name>', "the partner's name")
    .option('--tenant <tenant>', 'a tenant it may use; repeat the option for more', repeated)
    .option(
      '--sandbox-tenant <tenant>',
      'the same for a tenant whose awards do not count, for tests',
      repeated,
    )
    .option('--per-tx <ep>', 'EP per award', capArgument)
    .option('--per-partner-day <ep>', 'EP per tenant and day', capArgument)
    .action(async (options: ChangeOptions & CreateOptions, command: Command) => {
      const { id, name, tenant = [], sandboxTenant = [] } = options
      if (tenant.length + sandboxTenant.length === 0)
        command.error('specify --tenant, --sandbox-tenant or both: the tenants it may use')
      const { perTx = 'default', perPartnerDay = 'default' } = options
      const caps = { perTx: nullIfDefault(perTx), perPartnerDay: nullIfDefault(perPartnerDay) }
      const partner = { partnerId: id, name, tenants: tenant, sandboxTenants: sandboxTenant, ...caps }
      const created = await withDatabase(
        options,
        async ({ operator, masterKey }) => createPartner(operator, partner, await masterKey()),
        { create: true },
      )
      // The examples read TENANT_ID. In a sandbox, trying them out credits nobody.
      const tenantToTry = { tenantId: (sandboxTenant[0] ?? tenant[0])!, isSandbox: sandboxTenant.length > 0 }
      print(created, options, () => credentialsText(created, localUrl(configOf(options)), tenantToTry))
    })

  withDatabaseOptions(partner.command('list'))
    .description('list all partners')
    .action(async (options: DatabaseOptions) => {
      const { partners, modes } = await withQueries(options, async (queries) => ({
        partners: await queries.partners(),
        modes: await readModes(queries),
      }))
      const all = [
        ...partners.sound.map((partner) => shownPartner(partner, modes)),
        ...partners.damaged.map(shownDamaged),
      ]
      print(all, options, () => partnersTable(partners, modes))
      tellDamaged(partners.damaged.map(({ partnerId, problem }) => [`partner "${partnerId}"`, problem]))
    })

  partnerShowCommand(partner)

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
    .option('--tenant <tenant>', 'the tenant')
    .option('--sandbox-tenant <tenant>', 'the tenant, if its awards do not count')
    .action((id: string, options: ChangeOptions & TenantOptions, command: Command) => {
      const { tenant, sandboxTenant } = options
      if ((tenant === undefined) === (sandboxTenant === undefined))
        command.error('specify --tenant or --sandbox-tenant')
      return change(options, (operator) =>
        sandboxTenant === undefined
          ? allowTenant(operator, id, tenant!)
          : allowTenant(operator, id, sandboxTenant, 'sandbox'),
      )
    })

  withChangeOptions(partner.command('deny <id>'))
    .description('withdraw a tenant; its awards there stay in the ledger')
    .requiredOption('--tenant <tenant>', 'the tenant')
    .action((id: string, options: ChangeOptions & { tenant: string }) =>
      change(options, (operator) => denyTenant(operator, id, options.tenant)),
    )
}

/** Changes a partner, then prints it. */
async function change(options: ChangeOptions, work: (operator: Operator) => Promise<Partner>): Promise<void> {
  const { partner, defaults, modes } = await withDatabase(options, async ({ operator }) => ({
    partner: await work(operator),
    defaults: await operator.store.defaultCaps(),
    modes: modesOf(await operator.store.tenantModes()),
  }))
  print(shownPartner(partner, modes), options, () => partnerText(partner, { defaults, modes }))
}

function partnersTable(partners: Listed<ShownPartner, KnownPartner>, modes: TenantModes): string {
  const { sound, damaged } = partners
  if (sound.length + damaged.length === 0) return 'no partners yet; create one with: partner create'
  return table(
    ['partner', 'name', 'status', 'tenants', 'keys'],
    [
      ...sound.map((partner) => [
        partner.partnerId,
        partner.name,
        partner.status,
        grantsInMode(partner, modes).map(tenantText).join(' '),
        partner.keys.filter(({ revokedAt }) => revokedAt === null).length,
      ]),
      ...damaged.map(({ partnerId, name, status }) => [partnerId, name, `${status}, DAMAGED`, '?', '?']),
    ],
  )
}

function partnerText(
  partner: Partner,
  { defaults, modes }: { defaults: DefaultCaps; modes: TenantModes },
): string {
  const { partnerId, name, status, requestsPerSecond, keys } = partner
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
    ...grantsInMode(partner, modes).map((grant) => rowOf(tenantText(grant), grant, partner, 'everywhere')),
  ]
  return [
    `${terminalSafe(partnerId)} (${terminalSafe(name)}) is ${terminalSafe(status)}; requests per second: ${requestsPerSecond ?? 'no limit'}`,
    table(['tenant', 'perTx', 'perPartnerDay'], caps),
    keysTable(keys),
  ].join('\n\n')
}
