import type { DefaultCaps, Grant, Partner, Tenant } from '../partners/partner-store.ts'
import { type Caps, capsInForce } from '../rules/caps.ts'

export type CapName = keyof Caps

/** Where a cap is set. The narrowest place that has a value decides. */
export type CapPlace = 'partner in tenant' | 'partner' | 'tenant' | 'default'

export type CapInForce = { limit: number; from: CapPlace }
export type AccountCaps = Record<CapName, CapInForce>

/** What is set, from the narrowest place to the widest. */
export type CapSources = {
  grant: Pick<Grant, 'perTx' | 'perPartnerDay'>
  partner: Pick<Partner, 'perTx' | 'perPartnerDay'>
  tenant: Pick<Tenant, 'perUserDay'>
  defaults: Pick<DefaultCaps, CapName>
}

/** The caps of a partner in a tenant as numbers, each with the place that it comes from. */
export function accountCaps(sources: CapSources): AccountCaps {
  const { grant, partner, tenant } = sources
  const caps = capsInForce(sources)
  const placeOf = (name: 'perTx' | 'perPartnerDay'): CapPlace =>
    grant[name] !== null ? 'partner in tenant' : partner[name] !== null ? 'partner' : 'default'
  return {
    perTx: { limit: caps.perTx, from: placeOf('perTx') },
    perPartnerDay: { limit: caps.perPartnerDay, from: placeOf('perPartnerDay') },
    perUserDay: { limit: caps.perUserDay, from: tenant.perUserDay !== null ? 'tenant' : 'default' },
  }
}
