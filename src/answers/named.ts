import type { Tenant } from '../partners/partner-store.ts'
import { NotFound, Refused } from '../partners/refused.ts'
import { normalizeEmail } from '../rules/email.ts'
import type { LedgerQueries, ShownPartner } from './ledger-queries.ts'
import { nearest } from './nearest.ts'

/** The partner that a question names. Of one that does not exist, the nearest is named. */
export async function namedPartner(
  queries: Pick<LedgerQueries, 'partner' | 'partners'>,
  partnerId: string,
): Promise<ShownPartner> {
  const partner = await queries.partner(partnerId)
  if (partner !== undefined) return partner
  const { sound, damaged } = await queries.partners()
  const ids = [...sound, ...damaged].map((known) => known.partnerId)
  throw new NotFound(
    `there is no partner "${partnerId}"${meant(partnerId, ids)}`,
    'partner list shows them all',
  )
}

export async function namedTenant(
  queries: Pick<LedgerQueries, 'tenants'>,
  tenantId: string,
): Promise<Tenant> {
  const { sound, damaged } = await queries.tenants()
  const tenant = sound.find((known) => known.tenantId === tenantId)
  if (tenant !== undefined) return tenant
  const problem = damaged.find((known) => known.tenantId === tenantId)?.problem
  if (problem !== undefined) throw new Refused(`the tenant "${tenantId}" is damaged: ${problem}`)
  const ids = [...sound, ...damaged].map((known) => known.tenantId)
  throw new NotFound(`there is no tenant "${tenantId}"${meant(tenantId, ids)}`, 'tenant list shows them all')
}

/** The user that a question names, as the ledger writes the address. */
export function namedUser(text: string): string {
  const address = normalizeEmail(text)
  if (!address.ok) throw new Refused(`"${text}" is not an address: it ${address.detail}`)
  return address.email
}

function meant(name: string, names: string[]): string {
  const near = nearest(name, names)
  return near === null ? '' : ` (did you mean "${near}"?)`
}
