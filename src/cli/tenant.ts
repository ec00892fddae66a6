import type { Command } from 'commander'
import type { KnownTenant } from '../answers/ledger-queries.ts'
import { shownTenant } from '../answers/shown-settings.ts'
import type { DefaultCaps, Tenant } from '../partners/partner-store.ts'
import { setTenantCaps } from '../partners/set-tenant-caps.ts'
import { isSandbox } from '../rules/tenant-mode.ts'
import { capArgument, type NumberOrDefault, nullIfDefault } from './arguments.ts'
import { shownDamaged, tellDamaged } from './damaged-rows.ts'
import {
  type ChangeOptions,
  type DatabaseOptions,
  withChangeOptions,
  withDatabase,
  withDatabaseOptions,
  withQueries,
} from './open.ts'
import { capText, print, table, timeOr } from './output.ts'

export function tenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('list tenants and set their caps')

  withDatabaseOptions(tenant.command('list'))
    .description('list all tenants')
    .action(async (options: DatabaseOptions) => {
      const { tenants, defaults } = await withQueries(options, async (queries) => ({
        tenants: await queries.tenants(),
        defaults: await queries.defaultCaps(),
      }))
      const { sound, damaged } = tenants
      print([...sound.map(shownTenant), ...damaged.map(shownDamaged)], options, () =>
        tenantsTable(sound, defaults, damaged),
      )
      tellDamaged(damaged.map(({ tenantId, problem }) => [`tenant "${tenantId}"`, problem]))
    })

  withChangeOptions(tenant.command('caps <tenant>'))
    .description('cap the EP per user and day in a tenant, from all partners; "default" removes the cap')
    .requiredOption('--per-user-day <ep>', 'EP per user and day', capArgument)
    .action(async (id: string, options: ChangeOptions & { perUserDay: NumberOrDefault }) => {
      const { changed, defaults } = await withDatabase(options, async ({ operator }) => ({
        changed: await setTenantCaps(operator, id, nullIfDefault(options.perUserDay)),
        defaults: await operator.store.defaultCaps(),
      }))
      print(shownTenant(changed), options, () => tenantsTable([changed], defaults))
    })
}

/** As tables show it. */
export function tenantText(tenant: Pick<Tenant, 'tenantId' | 'mode'>): string {
  return isSandbox(tenant) ? `${tenant.tenantId} (sandbox)` : tenant.tenantId
}

function tenantsTable(tenants: Tenant[], defaults: DefaultCaps, damaged: KnownTenant[] = []): string {
  if (tenants.length + damaged.length === 0) return 'no tenants yet; create one with: partner create --tenant'
  return table(
    ['tenant', 'perUserDay', 'created'],
    [
      ...tenants.map(({ tenantId, mode, perUserDay, createdAt }) => [
        tenantText({ tenantId, mode }),
        capText(perUserDay, defaults.perUserDay, 'default'),
        timeOr(createdAt),
      ]),
      ...damaged.map((tenant) => [tenantText(tenant), 'DAMAGED', '?']),
    ],
  )
}
