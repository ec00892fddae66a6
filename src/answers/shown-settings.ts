import type { DefaultCaps, GrantInMode, Key, Partner, Tenant } from '../partners/partner-store.ts'
import { isoTime } from '../rules/iso-time.ts'
import type { TenantMode } from '../rules/tenant-mode.ts'
import type { LedgerQueries, ShownPartner } from './ledger-queries.ts'

export type ShownKey = Pick<Key, 'keyId' | 'createdAt' | 'expiresAt' | 'revokedAt'>
export type TenantModes = ReadonlyMap<string, TenantMode>

/** A key without its internal fields. */
export function shownKey({ keyId, createdAt, expiresAt, revokedAt }: ShownKey) {
  return {
    keyId,
    createdAt: isoTime(createdAt, 'keys'),
    expiresAt: timeOrNull(expiresAt, 'keys'),
    revokedAt: timeOrNull(revokedAt, 'keys'),
  }
}

/** A partner without the internal fields of its keys. */
export function shownPartner(partner: ShownPartner, modes: TenantModes) {
  const grants = grantsInMode(partner, modes)
  return {
    ...partner,
    createdAt: isoTime(partner.createdAt, 'partners'),
    grants,
    keys: partner.keys.map(shownKey),
  }
}

export function grantsInMode({ grants }: Pick<Partner, 'grants'>, modes: TenantModes): GrantInMode[] {
  return grants.map((grant) => ({ ...grant, mode: modes.get(grant.tenantId)! }))
}

export async function readModes(queries: Pick<LedgerQueries, 'tenants'>): Promise<TenantModes> {
  const { sound, damaged } = await queries.tenants()
  return modesOf([...sound, ...damaged])
}

export function modesOf(tenants: Pick<Tenant, 'tenantId' | 'mode'>[]): TenantModes {
  return new Map(tenants.map(({ tenantId, mode }) => [tenantId, mode]))
}

export function shownTenant(tenant: Tenant) {
  return { ...tenant, createdAt: isoTime(tenant.createdAt, 'tenants') }
}

export function shownDefaultCaps(caps: DefaultCaps) {
  return { ...caps, setAt: timeOrNull(caps.setAt, 'default_caps') }
}

function timeOrNull(ms: number | null, table: string): string | null {
  return ms === null ? null : isoTime(ms, table)
}
