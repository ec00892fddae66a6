import type { Command } from 'commander'
import type { Tenant } from '../partners/partner-store.ts'
import { setTenantCaps } from '../partners/set-tenant-caps.ts'
import { capArgument, type NumberOrDefault, nullIfDefault } from './arguments.ts'
import { type DatabaseOptions, withDatabase, withDatabaseOptions } from './open.ts'
import { isoTime, print, table } from './output.ts'

export function tenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('list tenants and set their caps')

  withDatabaseOptions(tenant.command('list'))
    .description('all tenants')
    .action(async (options: DatabaseOptions) => {
      const tenants = await withDatabase(options, ({ operator }) => operator.store.tenants())
      print(tenants.map(shown), options, () => tenantsTable(tenants))
    })

  withDatabaseOptions(tenant.command('caps <tenant>'))
    .description('set how much EP one user may receive in it a day, from all partners; "default" falls back')
    .requiredOption('--per-user-day <ep>', 'EP per user and day', capArgument)
    .action(async (id: string, options: DatabaseOptions & { perUserDay: NumberOrDefault }) => {
      const changed = await withDatabase(options, ({ operator }) =>
        setTenantCaps(operator, id, nullIfDefault(options.perUserDay)),
      )
      print(shown(changed), options, () => tenantsTable([changed]))
    })
}

function shown(tenant: Tenant) {
  return { ...tenant, createdAt: isoTime(tenant.createdAt) }
}

function tenantsTable(tenants: Tenant[]): string {
  if (tenants.length === 0) return 'no tenants yet: partner create --tenant makes them'
  return table(
    ['tenant', 'perUserDay', 'created'],
    tenants.map(({ tenantId, perUserDay, createdAt }) => [
      tenantId,
      perUserDay ?? 'default',
      isoTime(createdAt),
    ]),
  )
}
